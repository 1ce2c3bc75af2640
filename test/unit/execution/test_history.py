# Copyright 2026 mem_vla_ros contributors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""Tests of the observation history."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.execution.history import History
from mem_vla_ros.execution.history_sampling import sample_history

JOINTS = ('shoulder', 'elbow', 'gripper')


def make_history(cameras=('base',), frames=3, stride=1.0, **settings) -> History:
    return History(cameras, JOINTS, frames, stride, **settings)


def picture(value: int = 7, size: tuple[int, int] = (16, 16)) -> np.ndarray:
    return np.full((*size, 3), value, dtype=np.uint8)


def add_joints(history: History, stamp: float, now: float | None = None):
    return history.add_joints(stamp, JOINTS, [stamp, 0.0, 0.0], stamp if now is None else now)


def feed(history: History, stamps, camera: str = 'base') -> None:
    for stamp in stamps:
        assert history.add_frame(camera, stamp, picture(int(stamp * 10) % 256), stamp) is None
        assert add_joints(history, stamp) is None


def test_observation_holds_frames_and_joints_oldest_first():
    history = make_history()
    feed(history, np.arange(0, 41) / 10)
    observation = history.observe(4.0)
    assert observation.stamp == 4.0
    stack = observation.cameras['base']
    np.testing.assert_allclose(stack.stamps, [2.0, 3.0, 4.0])
    assert stack.images[:, 0, 0, 0].tolist() == [20, 30, 40]
    np.testing.assert_allclose(observation.joints.positions[:, 0], [2.0, 3.0, 4.0])
    assert history.spacing_error(observation) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(('stamps', 'velocity'), [
    ((0.0, 0.05, 0.1, 0.15, 0.2), 1.0), ((0.0, 0.1), 1.0), ((0.0,), 0.0), ((0.0, 0.4), 0.0)])
def test_velocity_is_measured_over_the_last_moment(stamps, velocity):
    history = make_history()
    feed(history, stamps)
    np.testing.assert_allclose(history.observe(stamps[-1]).velocity, [velocity, 0.0, 0.0])


@pytest.mark.parametrize('earlier', [[], [0.1]])
def test_frame_that_no_joint_state_goes_with_is_not_observed(earlier):
    history = make_history()
    feed(history, earlier)
    assert history.add_frame('base', 1.0, picture(), 1.0) is None
    assert add_joints(history, 1.02) is None
    assert history.missing(1.02) == ('joint_states',)
    assert history.observe(1.02) is None
    history.add_frame('base', 1.1, picture(), 1.1)
    assert add_joints(history, 1.1) is None
    assert history.observe(1.1).position[0] == 1.1


def test_padded_slots_are_black_masked_and_without_stamp():
    history = make_history()
    feed(history, [5.0])
    stack = history.observe(5.0).cameras['base']
    assert stack.valid.tolist() == [False, False, True]
    assert np.isnan(stack.stamps[:2]).all()
    assert not stack.images[:2].any()


def test_newest_frame_is_given_without_copying():
    history = make_history()
    image = picture()
    history.add_frame('base', 1.0, image, 1.0)
    add_joints(history, 1.0)
    stack = history.observe(1.0).cameras['base']
    assert stack.frame(-1) is image
    assert 'images' not in vars(stack)
    assert not stack.frame(0).any()


def test_nothing_is_observed_until_every_input_is_there():
    history = make_history(('base', 'rear'))
    assert history.observe(1.0) is None
    assert history.missing(1.0) == ('joint_states',)
    feed(history, [1.0])
    assert history.observe(1.0) is None
    assert history.missing(1.0) == ('rear',)
    history.add_frame('rear', 1.0, picture(), 1.0)
    assert history.observe(1.0) is not None


def test_half_arrived_instant_waits_for_the_last_camera():
    history = make_history(('base', 'rear'))
    feed(history, [1.0])
    history.add_frame('rear', 1.0, picture(), 1.0)
    feed(history, [1.1])
    assert history.observe(1.1).stamp == 1.0
    history.add_frame('rear', 1.1, picture(), 1.1)
    assert history.observe(1.1).stamp == 1.1


def test_dead_camera_is_waited_for_no_longer_than_the_lag():
    history = make_history(('base', 'rear'), max_lag=0.25)
    history.add_frame('rear', 1.0, picture(), 1.0)
    stamps = []
    for now in (1.0, 1.1, 1.2, 1.3, 1.4, 1.6):
        feed(history, [now])
        observation = history.observe(now)
        stamps.append(observation and observation.stamp)
    assert stamps[-1] is None
    np.testing.assert_allclose(stamps[:-1], [1.0, 1.0, 1.0, 1.05, 1.15])


def test_newest_frame_counts_although_it_came_between_two_joint_states():
    history = make_history()
    add_joints(history, 1.0)
    history.add_frame('base', 1.005, picture(), 1.005)
    add_joints(history, 1.01)
    observation = history.observe(1.01)
    assert observation.stamp == observation.cameras['base'].stamps[-1] == 1.005
    assert observation.joints.stamps[-1] == 1.0


def test_without_lag_the_newest_joint_state_counts():
    history = make_history(max_lag=0.0)
    feed(history, [1.0])
    add_joints(history, 1.02)
    assert history.observe(1.02).stamp == 1.02


def test_last_frame_of_a_dead_camera_is_never_current():
    history = make_history(stride=3.0)
    feed(history, [1.0])
    for stamp in (1.2, 1.4, 1.6):
        add_joints(history, stamp)
    assert history.missing(1.6) == ('base',)
    assert history.observe(1.6) is None


def test_dead_joint_states_stop_observations():
    history = make_history()
    feed(history, [1.0])
    assert history.observe(1.4) is not None
    assert history.observe(1.6) is None


@pytest.mark.parametrize(('stamp', 'name'), [
    (10.051, 'future_image'), (9.4, 'stale_image'), (9.8, 'out_of_order_image'),
    (9.9, 'duplicate_image'), (float('nan'), 'future_image')])
def test_bad_stamp_is_refused_by_name(stamp, name):
    history = make_history()
    assert history.add_frame('base', 9.9, picture(), 10.0) is None
    fault = history.add_frame('base', stamp, picture(), 10.0)
    assert (fault.name, fault.source) == (name, 'base')


@pytest.mark.parametrize('stamp', [10.05, 9.5])
def test_stamp_at_the_edge_is_taken(stamp):
    assert make_history().add_frame('base', stamp, picture(), 10.0) is None


@pytest.mark.parametrize('stamp', [10.06, 9.4])
def test_bad_joint_stamp_is_refused(stamp):
    assert add_joints(make_history(), stamp, now=10.0) is not None


@pytest.mark.parametrize('image', [
    np.zeros((16, 16), np.uint8), np.zeros((16, 16, 4), np.uint8),
    np.zeros((16, 16, 3), np.float32)])
def test_image_that_is_not_rgb_is_refused(image):
    assert make_history().add_frame('base', 1.0, image, 1.0).name == 'malformed_image'


@pytest.mark.parametrize('size', [(0, 0), (1, 1), (4320, 7680)])
def test_absurd_image_size_is_refused_even_if_resizing(size):
    history = make_history(image_size=(32, 32))
    image = np.zeros((*size, 3), np.uint8)
    assert history.add_frame('base', 1.0, image, 1.0).name == 'wrong_image_size'


def test_changed_image_size_is_refused_unless_configured():
    history = make_history()
    assert history.add_frame('base', 1.0, picture(), 1.0) is None
    fault = history.add_frame('base', 1.1, picture(size=(20, 20)), 1.1)
    assert fault.name == 'wrong_image_size'
    resizing = make_history(image_size=(16, 16))
    assert resizing.add_frame('base', 1.1, picture(size=(20, 20)), 1.1) is None


def test_image_is_resized_on_arrival():
    history = make_history(image_size=(32, 32))
    history.add_frame('base', 1.0, picture(200, (16, 64)), 1.0)
    add_joints(history, 1.0)
    frame = history.observe(1.0).cameras['base'].frame(-1)
    assert frame.shape == (32, 32, 3)
    assert frame[16, 16].tolist() == [200, 200, 200]
    assert not frame[:12].any()


def test_unknown_camera_is_refused():
    assert make_history().add_frame('left', 1.0, picture(), 1.0).name == 'unknown_camera'


@given(st.permutations(JOINTS + ('extra',)))
def test_joints_are_mapped_by_name_whatever_the_order(names):
    values = {'shoulder': 0.1, 'elbow': 0.2, 'gripper': 0.3, 'extra': float('nan')}
    history = make_history()
    history.add_frame('base', 1.0, picture(), 1.0)
    assert history.add_joints(1.0, names, [values[name] for name in names], 1.0) is None
    np.testing.assert_allclose(history.observe(1.0).position, [0.1, 0.2, 0.3])


def test_missing_joints_are_listed():
    fault = make_history().add_joints(1.0, ['elbow'], [0.0], 1.0)
    assert fault.name == 'missing_joints'
    assert "['shoulder', 'gripper']" in fault.detail


@pytest.mark.parametrize('value', [float('nan'), float('inf'), float('-inf')])
@pytest.mark.parametrize('joint', range(3))
def test_joint_that_is_not_finite_is_refused(joint, value):
    positions = [0.0, 0.0, 0.0]
    positions[joint] = value
    fault = make_history().add_joints(1.0, JOINTS, positions, 1.0)
    assert (fault.name, fault.source) == ('non_finite_joints', JOINTS[joint])


def test_joint_state_without_positions_is_refused():
    assert make_history().add_joints(1.0, JOINTS, [], 1.0).name == 'malformed_joints'


@given(st.permutations(range(12)))
def test_out_of_order_frames_leave_history_sorted(order):
    history = make_history(('base',), frames=4, stride=0.1, max_age=2.0)
    for index in order:
        history.add_frame('base', 1.0 + index / 30, picture(index), 1.5)
    add_joints(history, 1.5, 1.5)
    stamps = history._frames['base'].stamps
    assert list(stamps) == sorted(set(stamps))
    assert stamps[-1] == 1.0 + 11 / 30


def test_clock_that_goes_back_empties_the_history():
    history = make_history()
    feed(history, [5.0, 5.1])
    fault = history.add_frame('base', 1.0, picture(), 1.0)
    assert fault.name == 'clock_jumped'
    assert history.observe(5.1) is None
    feed(history, [1.1])
    assert history.observe(1.1).cameras['base'].valid.tolist() == [False, False, True]


def test_reported_clock_jump_empties_the_history():
    history = make_history()
    feed(history, [5.0])
    assert history.clock_jumped().name == 'clock_jumped'
    assert history.observe(5.0) is None


def test_clock_that_jumps_ahead_pads_the_past():
    history = make_history()
    feed(history, [1.0, 2.0, 3.0, 100.0])
    assert history.observe(100.0).cameras['base'].valid.tolist() == [False, False, True]


def test_reset_forgets_frames_and_size():
    history = make_history()
    feed(history, [5.0])
    history.reset()
    assert history.observe(5.0) is None
    assert history.add_frame('base', 5.0, picture(size=(20, 20)), 5.0) is None


def test_frame_from_before_the_reset_is_not_part_of_the_new_episode():
    history = make_history()
    feed(history, [5.0])
    history.reset()
    fault = history.add_frame('base', 4.99, picture(), 5.01)
    assert fault.name == 'stale_image'
    assert 'before the episode' in fault.detail


def test_clock_set_back_after_a_reset_does_not_lock_the_history():
    history = make_history()
    feed(history, [5.0])
    history.reset()
    assert history.add_frame('base', 1.0, picture(), 1.0).name == 'clock_jumped'
    feed(history, [1.1])
    assert history.observe(1.1) is not None


def test_blank_observation_has_only_a_current_frame():
    observation = make_history().blank((24, 32))
    assert observation.cameras['base'].images.shape == (3, 24, 32, 3)
    assert observation.joints.valid.tolist() == [False, False, True]


@pytest.mark.parametrize('setting', [{'cameras': ()}, {'max_age': 0.0}, {'max_future': -1.0}])
def test_impossible_setting_is_refused(setting):
    with pytest.raises(ConfigError):
        make_history(**setting)


@pytest.mark.parametrize(('frames', 'stride'), [(6, 1.0), (18, 3.0)])
def test_memory_is_bounded_over_a_long_run(frames, stride):
    history = make_history(frames=frames, stride=stride)
    image = picture()
    longest = 0
    for index in range(30 * 120):
        history.add_frame('base', index / 30, image, index / 30)
        longest = max(longest, len(history._frames['base']))
    assert longest <= 5 * frames + 25


@pytest.mark.parametrize(('frames', 'stride', 'grain'), [
    (6, 1.0, None), (18, 0.5, None), (6, 1.0, 0.5), (6, 0.3, 0.1)])
@pytest.mark.parametrize('seed', range(2))
def test_robot_and_training_data_choose_the_same_frames_of_a_jittered_stream(
        frames, stride, grain, seed):
    random = np.random.default_rng(seed)
    stamps = 1_760_000_000.0 + np.arange(600) / 30 + random.uniform(-0.012, 0.012, 600)
    stamps = np.delete(stamps, random.choice(600, 60, replace=False))
    history = make_history(frames=frames, stride=stride, grain=grain)
    image = picture()
    compared = 0
    for count, stamp in enumerate(stamps):
        history.add_frame('base', stamp, image, stamp)
        query = stamp - random.uniform(0.0, 0.1)
        if add_joints(history, query, stamp) is not None or count % 3:
            continue
        observation = history.observe(stamp)
        indices = sample_history(stamps, query, frames, stride, grain=grain).indices
        if observation is None:
            assert indices[-1] < 0
            continue
        expected = np.where(indices >= 0, stamps[indices], np.nan)
        np.testing.assert_array_equal(observation.cameras['base'].stamps, expected)
        compared += 1
    assert compared > 80


@settings(max_examples=30)
@given(
    st.lists(st.floats(0.005, 0.9), min_size=5, max_size=120), st.integers(1, 6),
    st.sampled_from([0.3, 1.0, 2.0]), st.booleans())
def test_robot_and_training_data_choose_the_same_frames_whatever_the_gaps(
        gaps, frames, stride, coarse):
    stamps = np.cumsum(gaps)
    grain = stride / 2 if coarse else None
    history = make_history(frames=frames, stride=stride, grain=grain)
    for stamp in stamps:
        history.add_frame('base', stamp, picture(), stamp)
        history.add_joints(stamp, JOINTS, [0.0, 0.0, 0.0], stamp)
        observation = history.observe(stamp)
        indices = sample_history(stamps, stamp, frames, stride, grain=grain).indices
        np.testing.assert_array_equal(
            observation.cameras['base'].stamps, np.where(indices >= 0, stamps[indices], np.nan))


@pytest.mark.parametrize('slow_period', [0.05, 0.1, 0.33])
@pytest.mark.parametrize('seed', range(3))
def test_order_of_arrival_does_not_change_what_a_moment_shows(slow_period, seed):
    random = np.random.default_rng(seed)
    periods = {'base': 0.033, 'wrist': 0.1, 'rear': slow_period, 'joints': 0.02}
    stamps = {name: 100.0 + np.arange(0.0, 5.0, period) for name, period in periods.items()}
    arrivals = sorted(
        (now, name, stamp) for name, values in stamps.items() for now, stamp in zip(
            np.maximum.accumulate(values + random.uniform(0.0, 0.15, len(values))), values,
            strict=True))
    history = make_history(('base', 'wrist', 'rear'), max_lag=0.2)
    image, compared = picture(), 0
    for now, name, stamp in arrivals:
        if name == 'joints':
            add_joints(history, stamp, now)
        else:
            history.add_frame(name, stamp, image, now)
        observation = history.observe(now)
        for camera, stack in observation.cameras.items() if observation else ():
            indices = sample_history(stamps[camera], observation.stamp, 3, 1.0).indices
            np.testing.assert_array_equal(
                stack.stamps, np.append(stamps[camera], np.nan)[indices])
            compared += 1
    assert compared > 500
