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

"""Where the weights that ship with the package are."""

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[1] / 'weights'

LOW_LEVEL = _FOLDER / 'low_level'
HIGH_LEVEL = _FOLDER / 'high_level'
# What the baselines begin with: the low level whose corrections are learned from, and both levels
# of an older recipe.
FIRST_LOW = _FOLDER / 'first_low'
OLDER_LOW = _FOLDER / 'older_low'
OLDER_HIGH = _FOLDER / 'older_high'


def tasks_of(checkpoint: Path) -> list[str]:
    """Return the tasks that a checkpoint was trained on, as its notes say."""
    return list(notes_of(checkpoint).get('tasks', []))


def notes_of(checkpoint: Path) -> dict[str, Any]:
    """Return what a checkpoint remembers about its training."""
    notes: dict[str, Any] = _config(checkpoint)['notes']
    return notes


def image_size_of(checkpoint: Path) -> int:
    """Return the side of the images that a checkpoint sees [px]."""
    return int(_config(checkpoint)['model']['vision']['image_size'])


def _config(checkpoint: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads(
        (checkpoint / 'config.json').read_text(encoding='utf-8'))
    return config
