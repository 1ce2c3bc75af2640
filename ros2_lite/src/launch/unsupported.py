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

"""Errors which name the feature that ros2_lite lacks."""

from collections.abc import Callable, Iterable
from typing import NoReturn


def missing_attribute(module: str) -> Callable[[str], NoReturn]:
    """
    Return a module `__getattr__` that names what the module lacks.

    A class name raises ImportError, whose text survives `from module import Name`. Other names
    raise AttributeError, so that `hasattr` and the import of submodules work as usual.
    """
    def __getattr__(name: str) -> NoReturn:  # noqa: N807
        text = f"'{module}.{name}' is not supported by ros2_lite"
        raise ImportError(text) if name[:1].isupper() else AttributeError(text)

    return __getattr__


def reject_keywords(owner: object, keywords: Iterable[str]) -> None:
    """Raise TypeError if there are keyword arguments which the owner does not know."""
    names = ', '.join(repr(name) for name in keywords)
    if names:
        raise TypeError(f'{type(owner).__name__}: ros2_lite has no keyword argument {names}')
