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

"""Words for where a thing stands, to tell equal things apart."""

from collections.abc import Sequence

from mem_vla_ros.sim.experts.scene_view import SceneView


def whereabouts(view: SceneView, thing: str) -> str:
    """Return such as ``at the far left`` or ``under the machine``."""
    return where_is(view.thing(thing)['at'])


def where_is(point: Sequence[float]) -> str:
    """Return the words for a point."""
    x, y = point[0], point[1]
    if abs(y) < 0.08:
        return 'under the machine'
    return f"at the {'far' if x > 0.26 else 'near'} {'left' if y > 0 else 'right'}"


def thing_at(view: SceneView, where: str) -> str | None:
    """Return the thing that stands there; None if there is none."""
    return next((name for name in view.things if whereabouts(view, name) == where), None)
