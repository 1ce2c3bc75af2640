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
Errors of the whole package, one small class per cause.

A message says what is wrong, what was got, and what is allowed. Input faults at run time are
not exceptions: they are counted and shown as diagnostics.
"""


class MemVlaError(Exception):
    """Base of every error that this package raises on purpose."""


class ConfigError(MemVlaError):
    """A file, parameter or argument was refused before anything started."""


class PolicyError(MemVlaError):
    """A policy could not answer; the caller holds and tries again."""


class TextRejected(MemVlaError):  # noqa: N818
    """A text from outside is empty, too long or not text."""
