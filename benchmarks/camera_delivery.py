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
Benchmark of image delivery between two processes, with and without `config/fastdds.xml`.

Four 448x448 rgb8 cameras at 30 Hz each, sensor-data QoS, one publisher and one subscriber process
per run, a ROS domain of its own per run. Discovery is part of the run: the frames start when both
processes have matched all four topics, or `MATCH_LIMIT_S` after the later one came up, and every
frame then sent counts. A topic that never matches is a topic whose frames are all lost.

Last line: one JSON object.
"""

import argparse
from array import array
from collections.abc import Callable
from dataclasses import dataclass
import json
import os
from pathlib import Path
import select
from statistics import median
import subprocess
import sys
import time
from typing import Any

import numpy as np

CAMERAS = ('base', 'left_wrist', 'right_wrist', 'rear')
SIDE = 448
RATE_HZ = 30.0
MATCH_LIMIT_S = 5.0
DRAIN_S = 1.0
PROFILE = Path(__file__).resolve().parents[1] / 'config' / 'fastdds.xml'
PROFILE_VARIABLE = 'FASTRTPS_DEFAULT_PROFILES_FILE'


@dataclass(frozen=True)
class Run:
    """What one publisher and one subscriber process saw."""

    profile: str
    sent: int
    received: list[int]
    latencies_ms: list[float]
    match_s: float
    publisher_hz: float

    @property
    def share(self) -> float:
        return sum(self.received) / (self.sent * len(CAMERAS))


def topic(camera: str) -> str:
    return f'cameras/{camera}/image'


def wait_for_matches(counters: list[Callable[[], int]], spin: Callable[[], None]) -> None:
    """Say that the process is up, then how long every endpoint took to have a peer."""
    print(json.dumps({'up': True}), flush=True)
    start = time.monotonic()
    while not all(count() for count in counters) and time.monotonic() - start < MATCH_LIMIT_S:
        spin()
    print(json.dumps({'match_s': time.monotonic() - start}), flush=True)


def pixels_of(image: np.ndarray) -> array:
    """Return a contiguous image as the array that `Image.data` takes over without a check."""
    pixels = array('B')
    pixels.frombytes(image)
    return pixels


def fill_times_ms(rounds: int = 20, repeats: int = 20) -> dict[str, float]:
    """
    Return the median time to put one image into `Image.data`, per way of doing it.

    Each way runs in blocks, as in a node that uses one: the allocator remembers the last sizes.
    """
    from sensor_msgs.msg import Image

    message = Image()
    image = np.zeros((SIDE, SIDE, 3), dtype=np.uint8)
    ways: dict[str, Callable[[], Any]] = {
        'bytes': image.tobytes,
        'array_of_bytes': lambda: array('B', image.tobytes()),
        'array_frombytes': lambda: pixels_of(image)}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, convert in ways.items():
            begin = time.perf_counter()
            for _ in range(repeats):
                message.data = convert()
            times[way].append((time.perf_counter() - begin) * 1e3 / repeats)
    return {way: round(median(values), 3) for way, values in times.items()}


def publish(frames: int) -> None:
    """Publish the frames of all cameras at a steady pace, after a line on standard input."""
    import rclpy
    from sensor_msgs.msg import Image

    from mem_vla_ros.ros.qos import SENSOR

    rclpy.init()
    node = rclpy.create_node('camera_delivery_publisher')
    publishers = [node.create_publisher(Image, topic(camera), SENSOR) for camera in CAMERAS]
    image = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)
    wait_for_matches(
        [publisher.get_subscription_count for publisher in publishers],
        lambda: time.sleep(0.005))
    sys.stdin.readline()
    start = time.monotonic()
    for index in range(frames):
        time.sleep(max(0.0, start + index / RATE_HZ - time.monotonic()))
        for publisher in publishers:
            message = Image(height=SIDE, width=SIDE, encoding='rgb8', step=SIDE * 3)
            message.data = pixels_of(image)
            now = time.monotonic_ns()
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(now, 10**9)
            publisher.publish(message)
    print(json.dumps({'publisher_hz': frames / (time.monotonic() - start + 1 / RATE_HZ)}),
          flush=True)
    sys.stdin.readline()
    rclpy.try_shutdown()


def subscribe() -> None:
    """Count frames and their age until a line on standard input."""
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from sensor_msgs.msg import Image

    from mem_vla_ros.ros.qos import SENSOR

    rclpy.init()
    node = rclpy.create_node('camera_delivery_subscriber')
    latencies_ms: list[list[float]] = [[] for _ in CAMERAS]

    def receive(message: Image, seen: list[float]) -> None:
        sent_ns = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        seen.append((time.monotonic_ns() - sent_ns) / 1e6)

    subscriptions = [
        node.create_subscription(
            Image, topic(camera), lambda message, seen=seen: receive(message, seen), SENSOR)
        for camera, seen in zip(CAMERAS, latencies_ms, strict=True)]
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    wait_for_matches(
        [subscription.get_publisher_count for subscription in subscriptions],
        lambda: executor.spin_once(timeout_sec=0.005))
    while not select.select([sys.stdin], [], [], 0.0)[0]:
        executor.spin_once(timeout_sec=0.05)
    print(json.dumps({'latencies_ms': latencies_ms}), flush=True)
    rclpy.try_shutdown()


def start(role: str, frames: int, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, __file__, '--role', role, '--frames', str(frames)],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the next JSON line; Fast DDS logs on the same standard output."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith('{'):
            return json.loads(line)
        print(line, end='', file=sys.stderr)
    raise RuntimeError(f'{process.args} ended with code {process.wait()} before its answer.')


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write('\n')


def measure(profile: str, frames: int, domain: int) -> Run:
    """Return what happened in one run with the profile 'default' or 'fastdds.xml'."""
    environment = {name: value for name, value in os.environ.items() if name != PROFILE_VARIABLE}
    environment['ROS_DOMAIN_ID'] = str(domain)
    if profile != 'default':
        environment[PROFILE_VARIABLE] = str(PROFILE)
    processes = [start(role, frames, environment) for role in ('publish', 'subscribe')]
    publisher, subscriber = processes
    try:
        for process in processes:
            answer(process)
        match_s = max(answer(process)['match_s'] for process in processes)
        tell(publisher)
        publisher_hz = answer(publisher)['publisher_hz']
        time.sleep(DRAIN_S)
        tell(subscriber)
        latencies = answer(subscriber)['latencies_ms']
        tell(publisher)
        for process in processes:
            process.wait(timeout=20)
    finally:
        for process in processes:
            process.kill()
    return Run(
        profile, frames, [len(seen) for seen in latencies],
        [value for seen in latencies for value in seen], match_s, publisher_hz)


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values) or [float('nan')]
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def print_run(number: int, run: Run) -> None:
    received = ' '.join(f'{count:5d}' for count in run.received)
    print(f'{number:3d}  {run.profile:12s} {run.share:8.4%}  {received}  {run.match_s:6.2f} '
          f'{percentile(run.latencies_ms, 0.5):8.2f} {percentile(run.latencies_ms, 0.99):8.2f} '
          f'{run.publisher_hz:7.2f}', flush=True)


def compare(runs: int, default_runs: int, frames: int, domain: int) -> None:
    """Run default and profile in turn, print the table and the JSON line."""
    order = [name for index in range(max(runs, default_runs))
             for name, count in (('fastdds.xml', runs), ('default', default_runs))
             if index < count]
    print(f'{len(CAMERAS)} cameras, {SIDE}x{SIDE} rgb8, {RATE_HZ:g} Hz, '
          f'{frames} frames each; load average {os.getloadavg()[0]:.1f}')
    print('run  profile         share   received per camera      match_s   p50_ms   p99_ms  '
          'sent_hz')
    results = []
    for number, profile in enumerate(order):
        results.append(measure(profile, frames, domain + number))
        print_run(number + 1, results[-1])
    with_profile = [run for run in results if run.profile != 'default']
    default = [run for run in results if run.profile == 'default']
    print(json.dumps(summary(with_profile, default)))


def summary(with_profile: list[Run], default: list[Run]) -> dict[str, Any]:
    def latency(runs: list[Run], share: float) -> float:
        return round(median(percentile(run.latencies_ms, share) for run in runs), 2)

    return {
        'delivered_share_min': round(min(run.share for run in with_profile), 5),
        'delivered_share_default': round(median(run.share for run in default), 5),
        'latency_p50_ms': latency(with_profile, 0.5),
        'latency_p99_ms': latency(with_profile, 0.99),
        'latency_p50_ms_default': latency(default, 0.5),
        'match_s_max': round(max(run.match_s for run in with_profile), 3),
        'publisher_hz_min': round(min(run.publisher_hz for run in with_profile), 2),
        'runs': len(with_profile),
        'runs_default': len(default),
        'frames_per_camera': with_profile[0].sent,
        'fill_ms': fill_times_ms(),
        'load_average': round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--runs', type=int, default=5, help='runs with the profile')
    parser.add_argument('--default-runs', type=int, default=3, help='runs without it')
    parser.add_argument('--frames', type=int, default=300, help='frames per camera and run')
    parser.add_argument('--domain', type=int, default=70, help='ROS domain of the first run')
    parser.add_argument('--role', choices=('publish', 'subscribe'), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.role == 'publish':
        publish(arguments.frames)
    elif arguments.role == 'subscribe':
        subscribe()
    else:
        compare(arguments.runs, arguments.default_runs, arguments.frames, arguments.domain)


if __name__ == '__main__':
    main()
