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

"""Which policy stands behind a node: made from its parameters, imported when asked for."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rclpy.node import Node
from std_msgs.msg import String

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.policies.interface import HighLevelPolicy, LowLevelPolicy
from mem_vla_ros.ros.qos import SENSOR

HIGH_LEVEL_BACKENDS = ('memvla', 'openai', 'scripted', 'vlm')
LOW_LEVEL_BACKENDS = ('memvla', 'scripted')


def make_high_level(node: Node, values: SimpleNamespace, robot: Robot) -> HighLevelPolicy:
    """Return the high-level policy that the parameters name."""
    if values.backend == 'scripted':
        from mem_vla_ros.sim.expert_policy import ExpertHighLevel
        return _with_oracle(node, ExpertHighLevel())
    if values.backend == 'memvla':
        from mem_vla_ros.policies.memvla_high_level import MemVlaHighLevel
        return MemVlaHighLevel.from_folder(values.checkpoint)
    from mem_vla_ros.policies.prompted_backends import load_prompted_high_level
    if not values.backend_config:
        raise ConfigError(
            f'Backend {values.backend!r} needs a backend_config file; examples are in '
            'config/high_level/.')
    return load_prompted_high_level(values.backend, Path(values.backend_config))


def make_low_level(node: Node, values: SimpleNamespace, robot: Robot) -> LowLevelPolicy:
    """Return the low-level policy that the parameters name."""
    if values.backend == 'scripted':
        from mem_vla_ros.sim.expert_policy import ExpertLowLevel
        expert = _with_oracle(node, ExpertLowLevel(robot, values.frames, values.stride))
        return _with_fault(expert, values.scripted_fault)
    from mem_vla_ros.policies.memvla_low_level import MemVlaLowLevel
    return MemVlaLowLevel.from_folder(
        values.checkpoint, robot, chunking=values.chunking,
        execution_horizon=values.execution_horizon)


def _with_oracle(node: Node, policy: Any) -> Any:
    """Feed the simulator's oracle to a scripted policy."""
    node.create_subscription(
        String, 'oracle', lambda message: policy.set_oracle(json.loads(message.data)), SENSOR)
    return policy


def _with_fault(policy: LowLevelPolicy, fault: str) -> LowLevelPolicy:
    """
    Let a scripted policy fail as a test asks.

    ``nan`` always, ``nan@3,4`` at these calls, ``raise@3;nan@9`` one after the other.

    :raises ConfigError: if it is not such a text, or ``hang`` has no calls.
    """
    from mem_vla_ros.policies.scripted_faults import FaultyPolicy
    for part in filter(None, fault.split(';')):
        name, _, calls = part.partition('@')
        try:
            at = {int(call) for call in calls.split(',')} if calls else None
        except ValueError as error:
            raise ConfigError(
                f'scripted_fault must be a name, or a name@call,call. Got {part!r}.') from error
        # CHECK: the warm-up, which calls the policy too, comes to an end
        if name == 'hang' and at is None:
            raise ConfigError(
                'scripted_fault hang needs the calls that hang, such as hang@4: the first two '
                f'are the warm-up. Got {part!r}.')
        policy = FaultyPolicy(policy, name, at)
    return policy
