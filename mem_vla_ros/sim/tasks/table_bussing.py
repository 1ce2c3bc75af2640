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

"""Table bussing: tableware into the bin, waste into the trash."""

from mem_vla_ros.sim.scene.thing import box, cylinder
from mem_vla_ros.sim.tasks.sorting import Sorting


class TableBussing(Sorting):
    """Twelve things."""

    name = 'table_bussing'
    goal = 'clear the table: tableware into the bin, waste into the trash'
    time_limit = 110.0
    max_points = 12.0
    belongings = {
        'bin': (
            cylinder('cup', 0.024, 0.028, '.25 .45 .8'),
            cylinder('bowl', 0.032, 0.014, '.9 .9 .95', grip=0.01),
            cylinder('plate', 0.036, 0.006, '.95 .95 1', grip=0.01),
            box('fork', (0.045, 0.007, 0.005), '.6 .6 .65', 0.03),
            box('knife', (0.05, 0.006, 0.005), '.45 .45 .5', 0.03),
            box('spoon', (0.04, 0.009, 0.005), '.75 .75 .8', 0.03)),
        'trash': (
            cylinder('bottle', 0.016, 0.04, '.2 .6 .3'),
            cylinder('can', 0.02, 0.03, '.8 .15 .15'),
            box('wrapper', (0.022, 0.015, 0.008), '.95 .85 .2', 0.02),
            box('carton', (0.02, 0.02, 0.028), '.9 .6 .3'),
            box('straw', (0.045, 0.005, 0.005), '.95 .4 .6', 0.02),
            box('napkin', (0.024, 0.02, 0.006), '.55 .8 .75', 0.02))}
    containers = {
        'bin': (0.10, 0.37, 0.10, 0.10, 0.11, '.3 .35 .5'),
        'trash': (0.10, -0.37, 0.10, 0.10, 0.11, '.3 .3 .3')}
    spots = tuple((x, y) for x in (0.22, 0.32, 0.42) for y in (-0.21, -0.07, 0.07, 0.21))
