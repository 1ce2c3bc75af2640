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

"""Outcome: whether a subtask whose plan has ended has done what it says."""

from mem_vla_ros.sim.experts.scene_view import SceneView


def seems_done(subtask: str, view: SceneView) -> bool | None:
    """Return whether the subtask has worked; None where the scene does not tell."""
    verb, _, rest = subtask.partition(' the ')
    if verb == 'pick up':
        return view.held is not None
    if verb == 'put':
        return view.held is None
    if verb in ('open', 'close') and rest in view.handles:
        return view.is_open(rest) if verb == 'open' else view.is_shut(rest)
    return True if verb.startswith(('wait', 'go home')) else None
