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

"""Actions which hold for all nodes that follow in the same scope."""

from typing import Any

from launch.action import Action
from launch.launch_context import LaunchContext
from launch.substitution import resolve, SomeSubstitutionsType

from ..namespaces import absolute_namespace
from ..parameter_dict import evaluate_parameter_dict


class PushROSNamespace(Action):
    """Puts the following nodes into a namespace."""

    def __init__(self, namespace: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._namespace = namespace

    def execute(self, context: LaunchContext) -> None:
        context.launch_configurations['ros_namespace'] = absolute_namespace(
            context.launch_configurations.get('ros_namespace'),
            resolve(context, self._namespace))


class SetParameter(Action):
    """Gives the following nodes a parameter."""

    def __init__(self, name: SomeSubstitutionsType, value: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._name = name
        self._value = value

    def execute(self, context: LaunchContext) -> None:
        values = evaluate_parameter_dict(context, {resolve(context, self._name): self._value})
        context.launch_configurations.setdefault('global_params', []).extend(values.items())


class SetParametersFromFile(Action):
    """Gives the following nodes the parameters of a file."""

    def __init__(self, filename: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._filename = filename

    def execute(self, context: LaunchContext) -> None:
        context.launch_configurations.setdefault('global_params', []).append(
            resolve(context, self._filename))


class SetRemap(Action):
    """Gives the following nodes a remapping rule, ahead of their own."""

    def __init__(
        self, src: SomeSubstitutionsType, dst: SomeSubstitutionsType, **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._src = src
        self._dst = dst

    def execute(self, context: LaunchContext) -> None:
        context.launch_configurations.setdefault('ros_remaps', []).append(
            (resolve(context, self._src), resolve(context, self._dst)))
