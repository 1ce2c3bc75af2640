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

"""All tasks by name, and the suites that they are evaluated in."""

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.sim.tasks.chopstick import Chopstick
from mem_vla_ros.sim.tasks.clean_kitchen import CleanKitchen
from mem_vla_ros.sim.tasks.clean_up_counter import CleanUpCounter
from mem_vla_ros.sim.tasks.find_object import FindObject
from mem_vla_ros.sim.tasks.grilled_cheese import GrilledCheese
from mem_vla_ros.sim.tasks.kitchen_cleanup import KitchenCleanup
from mem_vla_ros.sim.tasks.open_refrigerator import OpenRefrigerator
from mem_vla_ros.sim.tasks.recipe_setup import RecipeSetup
from mem_vla_ros.sim.tasks.scoop_coffee import ScoopCoffee
from mem_vla_ros.sim.tasks.swap_mugs import SwapMugs
from mem_vla_ros.sim.tasks.table_bussing import TableBussing
from mem_vla_ros.sim.tasks.task import Task
from mem_vla_ros.sim.tasks.unpack_groceries import UnpackGroceries
from mem_vla_ros.sim.tasks.window_cleaning import WindowCleaning

TASKS: dict[str, type[Task]] = {task.name: task for task in (
    FindObject, SwapMugs, UnpackGroceries, ScoopCoffee, GrilledCheese, WindowCleaning, Chopstick,
    OpenRefrigerator, RecipeSetup, CleanKitchen, TableBussing, CleanUpCounter, KitchenCleanup)}

SUITES: dict[str, tuple[str, ...]] = {
    'memory': ('find_object', 'swap_mugs', 'unpack_groceries', 'scoop_coffee', 'grilled_cheese',
               'window_cleaning'),
    'adaptation': ('chopstick', 'open_refrigerator'),
    'long': ('recipe_setup', 'clean_kitchen'),
    'dexterity': ('table_bussing', 'clean_up_counter', 'kitchen_cleanup'),
}


def make_task(name: str) -> Task:
    """
    Return a new task.

    :raises ConfigError: if there is no task of this name.
    """
    if name not in TASKS:
        raise ConfigError(f'Unknown task {name!r}. Allowed: {sorted(TASKS)}.')
    return TASKS[name]()
