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

"""Node: a process which takes ROS arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import os
from pathlib import Path
from typing import Any

from launch.actions import ExecuteProcess
from launch.launch_context import LaunchContext
from launch.logging import get_logger
from launch.substitution import (
    normalize_to_list_of_substitutions,
    resolve,
    SomeSubstitutionsType,
)
import yaml

from ..namespaces import absolute_namespace
from ..parameter_descriptions import Parameter, ParameterFile, write_parameter_file
from ..parameter_dict import evaluate_parameter_dict
from ..substitutions import ExecutableInPackage


class Node(ExecuteProcess):
    """
    Runs an executable of a package as a node.

    :param executable: Name of an executable of the package, or its path without a package.
    :param parameters: Paths of YAML files, dictionaries, ParameterFile and Parameter.
    :param remappings: Pairs of names, from and to.
    """

    UNSPECIFIED_NODE_NAME = '<node_name_unspecified>'
    UNSPECIFIED_NODE_NAMESPACE = '<node_namespace_unspecified>'

    def __init__(
        self, *, executable: SomeSubstitutionsType, package: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        namespace: SomeSubstitutionsType | None = None,
        exec_name: SomeSubstitutionsType | None = None, parameters: list | None = None,
        remappings: (
            Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]] | None) = None,
        ros_arguments: Iterable[SomeSubstitutionsType] | None = None,
        arguments: Iterable[SomeSubstitutionsType] | None = None, **kwargs: Any,
    ) -> None:
        if parameters is not None and not isinstance(parameters, (list, tuple)):
            raise TypeError(f'Expecting list of parameters, got {parameters!r}')
        program = executable if package is None else ExecutableInPackage(executable, package)
        cmd = [program, *(arguments or [])]
        if ros_arguments is not None:
            cmd += ['--ros-args', *ros_arguments]
        super().__init__(cmd=cmd, name=exec_name, **kwargs)
        self.node_package = package
        self.node_executable = executable
        self._node_name = name
        self._node_namespace = namespace
        self._parameters = list(parameters or [])
        self._remappings = list(remappings or [])
        self._full_name: str | None = None
        self.expanded_node_namespace = self.UNSPECIFIED_NODE_NAMESPACE
        self.expanded_remapping_rules: list[tuple[str, str]] = []

    @property
    def node_name(self) -> str:
        """The full name of the node, known once the action is executed."""
        if self._full_name is None:
            raise RuntimeError("cannot access 'node_name' before executing action")
        return self._full_name

    def is_node_name_fully_specified(self) -> bool:
        return '<' not in self.node_name

    def execute(self, context: LaunchContext) -> None:
        if self._full_name is None:
            arguments = [
                '--ros-args', *self._name_arguments(context),
                *self._scope_parameter_arguments(context),
                *self._parameter_arguments(context), *self._remap_arguments(context)]
            self.cmd += [normalize_to_list_of_substitutions(part) for part in arguments]
        super().execute(context)
        self._warn_of_double_name(context)

    def _name_arguments(self, context: LaunchContext) -> list[str]:
        arguments = []
        name = self.UNSPECIFIED_NODE_NAME
        if self._node_name is not None:
            name = resolve(context, self._node_name)
            arguments += ['-r', f'__node:={name}']
        own = None if self._node_namespace is None else resolve(context, self._node_namespace)
        namespace = absolute_namespace(context.launch_configurations.get('ros_namespace'), own)
        if namespace is not None:
            self.expanded_node_namespace = namespace
            arguments += ['-r', f'__ns:={namespace}']
        self._full_name = f"{self.expanded_node_namespace.rstrip('/')}/{name}"
        return arguments

    def _scope_parameter_arguments(self, context: LaunchContext) -> list[str]:
        arguments = []
        for item in context.launch_configurations.get('global_params', []):
            if isinstance(item, tuple):
                arguments += ['-p', f'{item[0]}:={item[1]}']
            else:
                arguments += ['--params-file', os.path.abspath(item)]
        return arguments

    def _parameter_arguments(self, context: LaunchContext) -> list[str]:
        arguments = []
        for item in self._parameters:
            if isinstance(item, Parameter):
                name, value = item.evaluate(context)
                arguments += ['-p', f'{name}:={yaml.safe_dump(value)}']
                continue
            path = self._parameter_file(context, item)
            if not path.is_file():
                get_logger('launch_ros.actions.node').warning(
                    'Parameter file path is not a file: %s', path)
                continue
            arguments += ['--params-file', str(path)]
        return arguments

    def _parameter_file(self, context: LaunchContext, item: Any) -> Path:
        if isinstance(item, Mapping):
            target = self.node_name if self.is_node_name_fully_specified() else '/**'
            values = evaluate_parameter_dict(context, item)
            return write_parameter_file({target: {'ros__parameters': values}})
        file = item if isinstance(item, ParameterFile) else ParameterFile(item)
        return file.evaluate(context)

    def _remap_arguments(self, context: LaunchContext) -> list[str]:
        self.expanded_remapping_rules = [
            *context.launch_configurations.get('ros_remaps', []),
            *((resolve(context, src), resolve(context, dst)) for src, dst in self._remappings)]
        return [
            part for src, dst in self.expanded_remapping_rules for part in ('-r', f'{src}:={dst}')]

    def _warn_of_double_name(self, context: LaunchContext) -> None:
        if not self.is_node_name_fully_specified():
            return
        names = context.get_locals_as_dict().get('unique_ros_node_names', [])
        names = [*names, self.node_name]
        context.extend_globals({'unique_ros_node_names': names})
        if names.count(self.node_name) > 1:
            get_logger('launch_ros').warning(
                'there are now at least %s nodes with the name %s created within this launch '
                'context', names.count(self.node_name), self.node_name)


class LifecycleNode(Node):
    """A node with a lifecycle; its transitions are requested by other means than events."""

    def __init__(
        self, *, name: SomeSubstitutionsType, namespace: SomeSubstitutionsType, **kwargs: Any,
    ) -> None:
        super().__init__(name=name, namespace=namespace, **kwargs)
