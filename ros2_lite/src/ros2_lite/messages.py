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

"""Messages as plain values, for the command line."""

from array import array
import importlib
import re
from typing import Any

import numpy as np

ARRAY_ITEM_TYPE = re.compile(r'^(?:sequence<)?([\w/]+?)(?:<\d+>)?(?:, \d+)?(?:>|\[\d+\])$')


def load_type(name: str) -> type:
    """Return the class of a type such as 'std_msgs/msg/String'."""
    parts = name.split('/')
    if len(parts) != 3:
        raise RuntimeError(f"The passed type '{name}' is invalid, expected package/kind/Name")
    try:
        return getattr(importlib.import_module('.'.join(parts[:2])), parts[2])
    except (ImportError, AttributeError) as error:
        raise RuntimeError(f"The passed type '{name}' is not installed") from error


def to_plain(value: Any) -> Any:
    """Return a message, or a value inside it, as dictionaries, lists and scalars."""
    if hasattr(value, 'get_fields_and_field_types'):
        return {
            name: to_plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (list, tuple, array, np.ndarray)):
        return [to_plain(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def fill(message: Any, values: dict[str, Any]) -> Any:
    """Set the fields of a message from plain values and return it."""
    types = message.get_fields_and_field_types()
    for name, value in values.items():
        if name not in types:
            raise RuntimeError(
                f"'{name}' is not a field of {type(message).__name__}. Allowed: {list(types)}")
        current = getattr(message, name)
        item_type = ARRAY_ITEM_TYPE.match(types[name])
        if isinstance(value, dict):
            value = fill(current, value)
        elif item_type and '/' in item_type[1]:
            package, item_name = item_type[1].split('/')
            item_class = load_type(f'{package}/msg/{item_name}')
            value = [fill(item_class(), item) for item in value]
        elif isinstance(current, float):
            value = float(value)
        setattr(message, name, value)
    return message
