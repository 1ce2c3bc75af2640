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

"""Kitchen cleanup: plates, bowls and a cutting board from the counter into the sink."""

from mem_vla_ros.sim.scene.thing import box, cylinder
from mem_vla_ros.sim.tasks.sorting import Sorting


class KitchenCleanup(Sorting):
    """Five things."""

    name = 'kitchen_cleanup'
    goal = 'put all dishes and the cutting board into the sink'
    time_limit = 60.0
    max_points = 5.0
    belongings = {'sink': (
        cylinder('white plate', 0.04, 0.006, '.95 .95 1', grip=0.01),
        cylinder('blue plate', 0.04, 0.006, '.3 .5 .85', grip=0.01),
        cylinder('white bowl', 0.032, 0.014, '.9 .9 .85', grip=0.01),
        cylinder('green bowl', 0.032, 0.014, '.3 .7 .4', grip=0.01),
        box('cutting board', (0.05, 0.035, 0.006), '.7 .5 .3', grip=0.01))}
    containers = {'sink': (0.16, -0.32, 0.12, 0.10, 0.06, '.6 .62 .65')}
    spots = tuple((x, y) for x in (0.24, 0.36) for y in (-0.08, 0.08, 0.24))
