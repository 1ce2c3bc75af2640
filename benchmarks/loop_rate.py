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
Whether the whole loop holds its rate with a model in it.

A randomly initialised tiny MemVLA makes the chunks; everything else is the demo. Its actions are
scaled to a few degrees around home, so that the executor follows them. Counted are chunks per
second, the time that a chunk takes, and camera frames that did not reach the low-level node. The
last line is one JSON object.
"""

import argparse
import json
from pathlib import Path
import signal
import subprocess
import tempfile
import time

from diagnostic_msgs.msg import DiagnosticArray
import numpy as np
import rclpy
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Image
from std_msgs.msg import String
import torch

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.core.states import LowLevelState
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.normalisation import Normalisation, Scaling
from mem_vla_ros.models.presets import preset
from mem_vla_ros.models.text_tokenizer import byte_tokenizer
from mem_vla_ros.ros.qos import EVENT, SENSOR

CAMERA_RATE = 10.0


def save_random_checkpoint(folder: Path) -> None:
    """Write a tiny model that knows nothing."""
    torch.manual_seed(0)
    robot = load_robot('config/robots/sim_arm.yaml')
    limits, reach = robot.limits, 0.005 * (robot.limits.upper - robot.limits.lower)
    states = Scaling(tuple(limits.lower.tolist()), tuple(limits.upper.tolist()))
    actions = Scaling(
        tuple((robot.home - reach).tolist()), tuple((robot.home + reach).tolist()))
    Checkpoint(MemVLA(preset('tiny')), byte_tokenizer(), Normalisation(states, actions)
               ).save_pretrained(folder)


class Watcher:
    """Collects the states and diagnostics of the low level."""

    def __init__(self) -> None:
        rclpy.init()
        self.node = rclpy.create_node('loop_rate')
        self.states: list[tuple[float, LowLevelState]] = []
        self.counts: list[tuple[float, int]] = []
        self.node.create_subscription(String, 'll_state', self._on_state, EVENT)
        self.node.create_subscription(
            DiagnosticArray, '/diagnostics', self._on_diagnostics, QoSProfile(depth=50))
        self.node.create_subscription(Image, 'cameras/base/image', self._on_image, SENSOR)
        self.stamps: list[float] = []

    def _on_state(self, message: String) -> None:
        self.states.append((time.monotonic(), LowLevelState.from_json(message.data)))

    def _on_image(self, message: Image) -> None:
        self.stamps.append(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == '/low_level_policy' and self.stamps:
                values = {item.key: item.value for item in status.values}
                received = sum(int(value) for key, value in values.items()
                               if key.endswith(' received') and key != 'joint_states received')
                self.counts.append((self.stamps[-1], received))

    def spin(self, seconds: float) -> None:
        """Listen for some seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.1)


def main() -> None:
    """Run the demo with a random model, watch it, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seconds', type=float, default=30.0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        save_random_checkpoint(Path(folder))
        # Grilled cheese lets the longest time pass before it fails.
        demo = subprocess.Popen([
            'ros2', 'launch', 'mem_vla_ros', 'demo.launch.py', 'task:=grilled_cheese',
            'image_size:=64', 'exit_when_done:=false', 'inspector:=false',
            'low_level_backend:=memvla', f'low_level_checkpoint:={folder}'],
            stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        watcher = Watcher()
        try:
            while not watcher.states:
                watcher.spin(0.5)
            watcher.spin(5.0)
            watcher.states.clear()
            watcher.counts.clear()
            watcher.spin(args.seconds)
        finally:
            demo.send_signal(signal.SIGINT)
            demo.wait()
    times = [stamp for stamp, _ in watcher.states]
    good = [state for _, state in watcher.states if state.status == 'ok']
    predict = [state.timings_s['predict'] for state in good]
    (first, before), (last, after) = watcher.counts[0], watcher.counts[-1]
    sent = round((last - first) * CAMERA_RATE) * 4
    result = {
        'chunks_per_s': round((len(times) - 1) / (times[-1] - times[0]), 2),
        'good_share': round(len(good) / len(times), 3),
        'predict_p50_ms': round(1e3 * float(np.median(predict)), 1),
        'predict_p95_ms': round(1e3 * float(np.quantile(predict, 0.95)), 1),
        'delay_steps_max': max(state.delay_steps for state in good),
        'frames_sent': sent, 'frames_received': after - before}
    for name, value in result.items():
        print(f'{name:>18} {value}')
    print(json.dumps(result))


if __name__ == '__main__':
    main()
