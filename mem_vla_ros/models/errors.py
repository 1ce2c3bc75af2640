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

"""Errors of the models, one small class per cause."""

from mem_vla_ros.core.errors import ConfigError, MemVlaError


class UnsupportedVitError(ConfigError):
    """The vision model has no row in the adapter table."""


class ModelConfigError(ConfigError):
    """The sizes or switches of a model contradict each other."""


class CheckpointError(ConfigError):
    """A checkpoint folder is incomplete, damaged or not a safe format."""


class ShapeError(MemVlaError):
    """A tensor given to a model has the wrong shape."""
