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
Benchmark of what lies around a policy: newest image stamp to chunk published.

Ours: one process publishes four cameras at 30 Hz and joint states at 100 Hz, another runs the
`low_level_policy` node with a policy that takes 0, 50 or 300 ms, over `config/fastdds.xml`. The
node keeps the last K frames; as with the streaming encoder, the policy reads the newest one. Lines
with `stacked` let it copy all K frames of all cameras together instead.

Beside it openpi's websocket client and a minimal server of the same msgpack protocol, in a
virtual environment of their own that is made in `build/`. A policy with memory behind that
protocol needs its K frames sent with every request. `websocket` is a node that takes the same
topics and publishes the server's answers; `bare` is the client alone, which makes its frames
itself just before it sends them: no camera transport, no waiting for a frame, no topic.

Last line: one JSON object.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
import json
import os
from pathlib import Path
from statistics import median
import subprocess
import sys
import time
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CLIENT_VENV = ROOT / 'build' / 'openpi_client'
# openpi-client imports typing_extensions without asking for it.
CLIENT_PACKAGES = ('openpi-client==0.1.2', 'numpy<2', 'typing_extensions')
WEBSOCKET_SCRIPT = Path(__file__).with_name('overhead_websocket.py')
BRIDGE_SCRIPT = Path(__file__).with_name('overhead_bridge.py')
CAMERAS = ('base', 'left_wrist', 'right_wrist', 'rear')
CAMERA_HZ = 30.0
JOINTS_HZ = 100.0
SIDES = (448, 224)
FRAMES = (1, 6, 18)
POLICY_MS = (0, 50, 300)
STRIDE_S = 0.1
# No multiple of the camera period: the age of the newest frame then takes all values in a run.
ROW_S = 0.107
WARM_UP_S = 2.5
DRAIN_S = 0.5
FIRST_DOMAIN = 60


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    path: str
    side: int
    frames: int
    policy_ms: int

    def arguments(self, seconds: float) -> list[str]:
        """Return the case as arguments of a role."""
        return ['--side', str(self.side), '--frames', str(self.frames), '--policy-ms',
                str(self.policy_ms), '--seconds', str(seconds)]


@dataclass(frozen=True)
class Result:
    """What one run of a case measured."""

    latencies_ms: list[float]
    cpu_share: float
    dropped: int | None

    def percentile(self, share: float) -> float:
        """Return a percentile of the latencies [ms]."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def publish_robot(side: int, seconds: float) -> None:
    """Publish cameras and joint states at a steady pace, after a line on standard input."""
    from array import array

    import numpy as np
    import rclpy
    from sensor_msgs.msg import Image, JointState
    from std_msgs.msg import String

    from mem_vla_ros.core.robot import load_robot
    from mem_vla_ros.ros.qos import LATCHED, SENSOR

    robot = load_robot(ROOT / 'config' / 'robots' / 'sim_arm.yaml')
    rclpy.init()
    node = rclpy.create_node('overhead_robot')
    cameras = [node.create_publisher(Image, camera.topic, SENSOR) for camera in robot.cameras]
    joints = node.create_publisher(JointState, robot.joint_states_topic, SENSOR)
    subtask = node.create_publisher(String, 'subtask', LATCHED)
    pixels = np.random.default_rng(0).integers(0, 256, side * side * 3, dtype=np.uint8).tobytes()
    while not all(publisher.get_subscription_count() for publisher in (*cameras, joints, subtask)):
        time.sleep(0.01)
    say({'matched': True})
    sys.stdin.readline()
    subtask.publish(String(data='stay'))
    start, used, sent = time.monotonic(), time.process_time(), 0
    for tick in range(round((seconds + WARM_UP_S) * JOINTS_HZ)):
        time.sleep(max(0.0, start + tick / JOINTS_HZ - time.monotonic()))
        state = JointState(name=list(robot.joint_names), position=robot.home.tolist())
        state.header.stamp = node.get_clock().now().to_msg()
        joints.publish(state)
        if tick * CAMERA_HZ // JOINTS_HZ >= sent:
            sent += 1
            for publisher in cameras:
                image = Image(height=side, width=side, encoding='rgb8', step=3 * side)
                image.data = array('B', pixels)
                image.header.stamp = node.get_clock().now().to_msg()
                publisher.publish(image)
    elapsed = time.monotonic() - start
    say({'sent': sent * len(cameras), 'cpu': (time.process_time() - used) / elapsed})
    sys.stdin.readline()
    rclpy.try_shutdown()


def run_policy(case: Case) -> None:
    """Run the low-level node until a line on standard input, then say what it measured."""
    import threading

    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.parameter import Parameter

    from mem_vla_ros.core.robot import load_robot
    from mem_vla_ros.ros import low_level_policy

    robot_file = ROOT / 'config' / 'robots' / 'sim_arm.yaml'
    policy = make_policy(case, load_robot(robot_file).joint_names)
    low_level_policy.make_low_level = lambda *_: policy  # type: ignore[assignment]
    rclpy.init()
    node = low_level_policy.LowLevelPolicyNode(parameter_overrides=[
        Parameter('robot_file', value=str(robot_file)),
        Parameter('execution_horizon', value=1)])
    node.autostart()
    meter = Meter(node)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    while not all(topic.get_publisher_count() for topic in node._intake._subscriptions):
        executor.spin_once(timeout_sec=0.1)
    say({'matched': True})
    reader = threading.Thread(target=sys.stdin.readline)
    reader.start()
    while reader.is_alive():
        executor.spin_once(timeout_sec=0.1)
    cpu = meter.cpu_share()
    node.stop()
    say({'latencies_ms': meter.latencies_ms, 'taken': meter.taken, 'cpu': cpu})


def make_policy(case: Case, joint_names: Sequence[str]) -> Any:
    """Return a policy that stays where the arm is, after the time of the case."""
    import numpy as np

    from mem_vla_ros.policies.constant import ConstantPolicy

    class TimedPolicy(ConstantPolicy):
        def predict(self, observation: Any, *rest: Any) -> Any:
            for stack in observation.cameras.values():
                pixels = stack.images if case.path == 'stacked' else stack.frame(-1)
                assert isinstance(pixels, np.ndarray)
            time.sleep(case.policy_ms / 1000.0)
            return super().predict(observation, *rest)

    return TimedPolicy(joint_names, dt=ROW_S, frames=case.frames, stride=STRIDE_S)


class Meter:
    """Counts the images that a node takes, and times its chunks when they have been published."""

    def __init__(self, node: Any) -> None:
        self.latencies_ms: list[float] = []
        self.taken = 0
        self._published_at = 0.0
        self._first = time.time() + WARM_UP_S
        self._started = (0.0, 0.0)
        self._chunks, self._states = node._chunks, node._states
        node._chunks = self._Tap(self._on_chunk)
        node._states = self._Tap(self._on_state)
        add_frame = node._loop.add_frame
        node._loop.add_frame = lambda *args: self._count(add_frame(*args))

    @dataclass
    class _Tap:
        publish: Any

    def cpu_share(self) -> float:
        """Return the share of one core that the process used since the first image."""
        wall, used = self._started
        return (time.process_time() - used) / (time.monotonic() - wall)

    def _count(self, fault: Any) -> Any:
        if self.taken == 0:
            self._started = (time.monotonic(), time.process_time())
        self.taken += fault is None
        return fault

    def _on_chunk(self, message: Any) -> None:
        self._chunks.publish(message)
        self._published_at = time.time()

    def _on_state(self, message: Any) -> None:
        self._states.publish(message)
        state = json.loads(message.data)
        full = all(None not in stamps for stamps in state['frame_stamps'].values())
        if state['status'] == 'ok' and full and self._published_at > self._first:
            newest = max(stamps[-1] for stamps in state['frame_stamps'].values())
            self.latencies_ms.append(1000.0 * (self._published_at - newest))


def measure_ours(case: Case, seconds: float, environment: dict[str, str]) -> Result:
    """Run robot and node once."""
    own = [sys.executable, __file__, '--path', case.path, *case.arguments(seconds)]
    with started([*own, '--role', 'policy'], environment) as node, \
            started([*own, '--role', 'robot'], environment) as robot:
        hear(node)
        hear(robot)
        tell(robot)
        sent = hear(robot)
        time.sleep(DRAIN_S)
        tell(node)
        seen = hear(node)
        tell(robot)
    return Result(seen['latencies_ms'], sent['cpu'] + seen['cpu'], sent['sent'] - seen['taken'])


def measure_websocket(case: Case, seconds: float, environment: dict[str, str]) -> Result:
    """Run robot, the node around openpi's client, and the minimal server once."""
    robot_role = [sys.executable, __file__, '--role', 'robot', *case.arguments(seconds)]
    with websocket_server(case, seconds) as (server, port):
        bridge_role = [
            sys.executable, str(BRIDGE_SCRIPT), '--client', client_packages(), '--port', str(port),
            '--frames', str(case.frames), '--seconds', str(seconds)]
        with started(bridge_role, environment) as bridge, \
                started(robot_role, environment) as robot:
            hear(bridge)
            hear(robot)
            tell(bridge)
            tell(robot)
            sent, seen = hear(robot), hear(bridge)
            tell(robot)
        served = hear(server)
    return Result(seen['latencies_ms'], sent['cpu'] + seen['cpu'] + served['cpu'], None)


def measure_bare(case: Case, seconds: float) -> Result:
    """Run openpi's client against the minimal server once."""
    with websocket_server(case, seconds) as (server, port):
        script = [client_python(), str(WEBSOCKET_SCRIPT), *case.arguments(seconds)]
        client_role = [*script, '--role', 'client', '--port', str(port)]
        with started(client_role, dict(os.environ)) as client:
            seen = hear(client)
        served = hear(server)
    return Result(seen['latencies_ms'], seen['cpu'] + served['cpu'], None)


@contextmanager
def websocket_server(case: Case, seconds: float) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run the minimal server, and tell its port."""
    script = [client_python(), str(WEBSOCKET_SCRIPT), *case.arguments(seconds)]
    with started([*script, '--role', 'server'], dict(os.environ)) as server:
        yield server, hear(server)['port']


def graph_environment(domain: int) -> dict[str, str]:
    """Return the environment of the nodes of one run."""
    from mem_vla_ros.ros.middleware import fastdds_environment

    environment = dict(os.environ) | {
        'ROS_DOMAIN_ID': str(domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    return environment | fastdds_environment(environment, str(ROOT / 'config' / 'fastdds.xml'))


def client_python() -> str:
    return str(CLIENT_VENV / 'bin' / 'python')


def client_packages() -> str:
    """Return the folder that openpi_client is installed in."""
    question = 'import pathlib, openpi_client as p; print(pathlib.Path(p.__file__).parents[1])'
    return subprocess.run(
        [client_python(), '-c', question], check=True, capture_output=True, text=True,
    ).stdout.strip()


def make_client_venv() -> bool:
    """Make the environment of openpi's client if it is not there; return whether it works."""
    check = [client_python(), '-c', 'import openpi_client.websocket_client_policy']
    made = Path(client_python()).exists()
    if made and subprocess.run(check, capture_output=True).returncode == 0:
        return True
    print('making an environment for openpi-client ...', flush=True)
    subprocess.run([sys.executable, '-m', 'venv', str(CLIENT_VENV)], check=True)
    install = [client_python(), '-m', 'pip', 'install', '-q', *CLIENT_PACKAGES]
    return subprocess.run(install).returncode == 0 and subprocess.run(check).returncode == 0


@contextmanager
def started(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Run a role in a process of its own that does not outlive the block."""
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, bufsize=1)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def say(values: dict[str, Any]) -> None:
    print(json.dumps(values), flush=True)


def hear(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the next JSON line of a role; others are its log."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith('{'):
            values: dict[str, Any] = json.loads(line)
            return values
    raise SystemExit(f'{process.args} ended without an answer')


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write('\n')
    process.stdin.flush()


def cases(with_websocket: bool, repeats: int) -> list[Case]:
    """Return the runs in order; the ones that the bar is about are repeated, in turn."""
    paths = ('ours', 'websocket') if with_websocket else ('ours',)
    barred = [Case(path, 448, frames, 0) for frames in FRAMES
              for path in paths + ('bare',) * with_websocket]
    others = [Case(path, side, frames, policy_ms)
              for policy_ms, side, frames in product(POLICY_MS, SIDES, FRAMES)
              for path in paths if (side, policy_ms) != (448, 0)]
    stacked = [Case('stacked', 448, 6, 0), Case('stacked', 448, 18, 0)]
    return barred * repeats + others + stacked


def compare(seconds: float, repeats: int) -> None:
    """Run all cases, print the table and the JSON line."""
    with_websocket = make_client_venv()
    if not with_websocket:
        print('openpi-client cannot be installed here: only ours is measured')
    print(f'four cameras at {CAMERA_HZ:g} Hz, {seconds:g} s per run, load average '
          f'{os.getloadavg()[0]:.1f}')
    print('path       side   K  policy_ms  chunks   p50_ms   p95_ms  minus_policy  cpu_share  '
          'dropped')
    results: dict[Case, list[Result]] = {}
    for number, case in enumerate(cases(with_websocket, repeats)):
        if case.path == 'bare':
            result = measure_bare(case, seconds)
        else:
            measure = measure_websocket if case.path == 'websocket' else measure_ours
            result = measure(case, seconds, graph_environment(FIRST_DOMAIN + number % 40))
        results.setdefault(case, []).append(result)
        print_line(case, result)
    print(json.dumps(summary(results, with_websocket)))


def print_line(case: Case, result: Result) -> None:
    p50 = result.percentile(0.5)
    dropped = '-' if result.dropped is None else str(result.dropped)
    print(f'{case.path:10s} {case.side:4d} {case.frames:3d} {case.policy_ms:10d} '
          f'{len(result.latencies_ms):7d} {p50:8.1f} {result.percentile(0.95):8.1f} '
          f'{p50 - case.policy_ms:13.1f} {result.cpu_share:10.2f} {dropped:>8s}', flush=True)


def summary(results: dict[Case, list[Result]], with_websocket: bool) -> dict[str, Any]:
    """Return the figures of the bar: medians over the repeats of the medians of each run."""
    def p50(path: str, frames: int) -> float:
        return median(
            result.percentile(0.5) for result in results[Case(path, 448, frames, 0)])

    def over(path: str) -> float | None:
        return round(p50('ours', 6) / p50(path, 6), 3) if with_websocket else None

    return {
        'ours_over_websocket_448_k6': over('websocket'),
        'ours_over_bare_448_k6': over('bare'),
        'ours_k18_over_k1_448': round(p50('ours', 18) / p50('ours', 1), 3),
        'dropped_frames': sum(
            result.dropped or 0 for case, runs in results.items() for result in runs
            if case.path == 'ours'),
        'ours_448_k6_ms': round(p50('ours', 6), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--seconds', type=float, default=5.0, help='length of each run [s]')
    parser.add_argument('--repeats', type=int, default=3, help='runs of the cases of the bar')
    parser.add_argument('--role', choices=('robot', 'policy'), help=argparse.SUPPRESS)
    parser.add_argument('--path', default='ours', help=argparse.SUPPRESS)
    parser.add_argument('--side', type=int, default=448, help=argparse.SUPPRESS)
    parser.add_argument('--frames', type=int, default=6, help=argparse.SUPPRESS)
    parser.add_argument('--policy-ms', type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.role == 'robot':
        publish_robot(arguments.side, arguments.seconds)
    elif arguments.role == 'policy':
        run_policy(
            Case(arguments.path, arguments.side, arguments.frames, arguments.policy_ms))
    else:
        compare(arguments.seconds, arguments.repeats)


if __name__ == '__main__':
    main()
