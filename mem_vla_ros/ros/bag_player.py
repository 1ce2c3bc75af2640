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
Node ``bag_player``: a bag's cameras, joint states and goal into the running nodes.

Messages are published as they lie in the bag, without decoding. Commands are never played:
nothing moves.
"""

from pathlib import Path
import threading
import time
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CompressedImage, Image, JointState
from std_msgs.msg import String

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation.bag_messages import COMPRESSED_IMAGE, IMAGE, JOINT_STATE, STRING
from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.bag_topics import parse_remaps
from mem_vla_ros.evaluation.playback import Play, Playback
from mem_vla_ros.evaluation.replay_robot import play_topics
from mem_vla_ros.ros.configurable_node import ConfigurableNode
from mem_vla_ros.ros.conversions import stamp_from_seconds
from mem_vla_ros.ros.health import ERROR, OK
from mem_vla_ros.ros.node_main import run_node
from mem_vla_ros.ros.parameters import ParameterSpec
from mem_vla_ros.ros.qos import LATCHED, SENSOR

PARAMETERS = (
    ParameterSpec('robot_file', '', 'Robot file with joints and cameras.'),
    ParameterSpec('bag', '', 'Bag folder, or a single .mcap or .db3 file.'),
    ParameterSpec('rate', 1.0, 'Bag seconds per second.', 0.01, 100.0),
    ParameterSpec('start', 0.0, 'Where to begin, from the first message on [s].', 0.0, 1e6),
    ParameterSpec('duration', 0.0, 'How much to play [s]; 0 plays to the end.', 0.0, 1e6),
    ParameterSpec('loop', False, 'Begin again at the end; time then jumps back.'),
    ParameterSpec('publish_clock', True, 'Publish the time of the bag on /clock.'),
    ParameterSpec('remaps', '',
                  'Topics that have another name in the bag: name:=topic, parted by spaces.'),
    ParameterSpec('start_subscribers', 0,
                  'Begin when each camera and the joint states have so many subscribers.', 0, 16),
    ParameterSpec('start_timeout', 30.0, 'Begin after this long in any case [s].', 0.0, 600.0),
    ParameterSpec('exit_when_done', True, 'End the process when the bag is over.'),
)

_KINDS = {IMAGE: Image, COMPRESSED_IMAGE: CompressedImage, JOINT_STATE: JointState,
          STRING: String}
_CLOCK_PERIOD_S = 0.01
_FAREWELL_S = 1.0


class BagPlayer(ConfigurableNode):
    """Publishes a bag in a thread of its own."""

    def __init__(self, **options: Any) -> None:
        super().__init__('bag_player', PARAMETERS, **options)
        self.done = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._storage: BagStorage | None = None
        self._clock_time = 0.0

    def configure(self) -> None:
        """Open the bag and find its topics."""
        values = self.node_parameters.checked()
        self._playback = Playback(values.rate, values.start, values.duration, values.loop)
        robot = load_robot(values.robot_file)
        self._storage = BagStorage(Path(values.bag))
        self._reader = BagReader(self._storage, robot, parse_remaps(values.remaps.split()))
        for note in [*self._storage.damage, *self._reader.notes]:
            self.get_logger().warning(note)
        found = self._reader.topics.topics
        types = {name: topic.msgtypes[0] for name, topic in self._storage.topics.items()}
        played = play_topics(robot, found, types)
        if not played:
            raise MemVlaError(
                f'Bag {values.bag!r} has nothing to play: '
                f'{"; ".join(self._reader.topics.missing.values())}.')
        self._parts = {part: found[part] for part in played}
        self._clock_publisher = self.create_publisher(Clock, '/clock', SENSOR)
        self._players = {
            part: self.create_publisher(
                _KINDS[types[found[part]]], name, LATCHED if part == 'goal' else SENSOR)
            for part, name in played.items()}
        for why in self._reader.topics.missing_inputs:
            self.get_logger().warning(f'not played: {why}')

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to play."""
        self._thread = threading.Thread(target=self._run, name='player', daemon=True)
        self._thread.start()
        return super().on_activate(state)

    def stop(self) -> None:
        """End playing."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(5.0)
        if self._storage is not None:
            self._storage.close()

    def _run(self) -> None:
        try:
            self._wait_for_subscribers()
            self.health.set_level(OK, f'playing {self._storage.path}')
            began = time.monotonic()
            for play in self._playback.plays(self._reader, self._parts):
                if not self._wait_until(began + play.wait, play):
                    return
                self._players[play.part].publish(play.data)
            self._finish()
        except MemVlaError as error:
            self.health.set_level(ERROR, str(error))
        except rclpy_implementation.RCLError:
            if self.context.ok():  # a signal has ended the context in the middle of a step
                raise

    def _finish(self) -> None:
        level = OK if not self._storage.damage else ERROR
        self.health.set_level(level, '; '.join(['the bag is over', *self._storage.damage]))
        self.done.set()
        if self.get_parameter('exit_when_done').value:
            # Time for the last messages to be read before their publishers are gone.
            self._stopping.wait(_FAREWELL_S)
            self.context.try_shutdown()

    def _wait_until(self, due: float, play: Play) -> bool:
        """Let time pass, with a ticking clock; False if the node is to stop."""
        rate = self._playback.rate
        while not self._stopping.is_set():
            left = due - time.monotonic()
            self._tick(play.time - max(0.0, left) * rate)
            if left <= 0.0:
                return True
            self._stopping.wait(min(left, _CLOCK_PERIOD_S / rate))
        return False

    def _tick(self, now: float) -> None:
        if not self.get_parameter('publish_clock').value:
            return
        if abs(now - self._clock_time) >= _CLOCK_PERIOD_S / 2:
            self._clock_time = now
            self._clock_publisher.publish(Clock(clock=stamp_from_seconds(now)))

    def _wait_for_subscribers(self) -> None:
        wanted = self.get_parameter('start_subscribers').value
        deadline = time.monotonic() + self.get_parameter('start_timeout').value
        inputs = [player for part, player in self._players.items() if part not in (
            'goal', 'oracle')]
        while time.monotonic() < deadline and not self._stopping.wait(_CLOCK_PERIOD_S):
            if all(player.get_subscription_count() >= wanted for player in inputs):
                return


def main() -> int:
    """Run the node."""
    return run_node(BagPlayer)
