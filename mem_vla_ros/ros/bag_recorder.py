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

"""
Node ``bag_recorder``: all inputs, outputs and states into a rosbag2 bag.

Messages are kept as they come over the wire, without decoding. The bag is finished on SIGINT,
and can be read up to its last second if the process is killed.
"""

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation.bag_recording import BagRecording, IMAGE_FORMS, Writer
from mem_vla_ros.evaluation.bag_writer import BagWriter, STORAGES
from mem_vla_ros.ros.configurable_node import ConfigurableNode
from mem_vla_ros.ros.health import ERROR, OK, WARN
from mem_vla_ros.ros.node_main import guarded, run_node
from mem_vla_ros.ros.parameters import ParameterSpec
from mem_vla_ros.ros.recorded_topics import recorded_topics
from mem_vla_ros.ros.rosbag2_writer import rosbag2_is_installed, Rosbag2Writer

PARAMETERS = (
    ParameterSpec('robot_file', '', 'Robot file with joints and cameras.'),
    ParameterSpec('bag', '', 'Folder to make; empty makes bags/<date>-<time>.'),
    ParameterSpec('storage', 'mcap', 'Storage of the bag.', choices=STORAGES),
    ParameterSpec('images', 'raw',
                  'raw keeps images as they come; jpeg and png compress raw ones.',
                  choices=IMAGE_FORMS),
    ParameterSpec('jpeg_quality', 90, 'Quality of jpeg images.', 10, 100),
    ParameterSpec('split_size', 0.0, 'Begin another file after so much [MB]; 0 never does.',
                  0.0, 1e6),
    ParameterSpec('split_duration', 0.0, 'Begin another file after so long [s]; 0 never does.',
                  0.0, 1e6),
    ParameterSpec('queue_size', 256,
                  'Messages that wait to be written [MB]; images are dropped beyond it.',
                  1, 65536),
    ParameterSpec('writer', 'auto',
                  'rosbag2 where it is installed, else rosbags; or one of them.',
                  choices=('auto', 'rosbag2', 'rosbags')),
)

_HEALTH_PERIOD_S = 1.0


class BagRecorder(ConfigurableNode):
    """Wires subscriptions to a recording."""

    def __init__(self, **options: Any) -> None:
        super().__init__('bag_recorder', PARAMETERS, **options)
        self._recording: BagRecording | None = None
        self._early: dict[str, bytes] = {}

    def configure(self) -> None:
        """Check everything and open the bag's name; nothing is written before activate."""
        self._values = self.node_parameters.checked()
        self._robot = load_robot(self._values.robot_file)
        if self._values.writer == 'rosbag2' and not rosbag2_is_installed():
            raise ConfigError("Parameter 'writer' is 'rosbag2', but rosbag2_py is not installed.")
        self._path = Path(
            self._values.bag or f'bags/{datetime.now().strftime("%Y%m%d-%H%M%S")}')
        if self._path.exists():
            raise ConfigError(f'Bag {str(self._path)!r} exists already; nothing is overwritten.')

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to record."""
        topics = recorded_topics(self._robot)
        names = [self.resolve_topic_name(topic.name) for topic in topics]
        values = self._values
        self._recording = BagRecording(
            self._make_writer,
            {name: topic.msgtype for name, topic in zip(names, topics, strict=True)},
            values.images, values.jpeg_quality, values.queue_size * 2**20)
        for name, topic in zip(names, topics, strict=True):
            self.create_subscription(
                topic.kind, topic.name, partial(self._on_message, name), topic.qos, raw=True)
        self.create_timer(_HEALTH_PERIOD_S, self._check_health)
        self.health.set_level(OK, f'recording to {self._path}')
        return super().on_activate(state)

    def stop(self) -> None:
        """Finish the bag."""
        if self._recording is None:
            return
        recording, self._recording = self._recording, None
        recording.close()
        total = sum(recording.written.values())
        if recording.failure:
            print(f'bag_recorder: {self._path} is not complete: {recording.failure}')
        else:
            print(f'bag_recorder: {self._path}: {total} messages, '
                  f'{sum(recording.dropped.values())} dropped')

    def _make_writer(self) -> Writer:
        values = self._values
        own = values.writer == 'rosbags' or (
            values.writer == 'auto' and not rosbag2_is_installed())
        return (BagWriter if own else Rosbag2Writer)(
            self._path, values.storage, round(values.split_size * 1e6), values.split_duration)

    def _on_message(self, topic: str, data: bytes) -> None:
        recording = self._recording
        if recording is None:
            return
        now = self.get_clock().now().nanoseconds
        if now == 0:
            # Simulated time has not begun; what is latched counts from its first moment.
            self._early[topic] = data
            return
        for early_topic, early_data in self._early.items():
            recording.offer(early_topic, now, early_data)
        self._early.clear()
        recording.offer(topic, now, data)

    @guarded
    def _check_health(self) -> None:
        recording = self._recording
        if recording is None:
            return
        dropped = sum(recording.dropped.values())
        self.health.values |= {
            'messages': str(sum(recording.written.values())), 'dropped': str(dropped),
            'waiting [MB]': f'{recording.queued_bytes / 1e6:.1f}'}
        if recording.failure:
            self.health.set_level(ERROR, f'nothing is recorded any more: {recording.failure}')
        elif dropped:
            self.health.set_level(WARN, f'recording to {self._path}, the disk is too slow')
        else:
            self.health.set_level(OK, f'recording to {self._path}')


def main() -> int:
    """Run the node."""
    return run_node(BagRecorder)
