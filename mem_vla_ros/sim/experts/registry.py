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

"""All directors by task name."""

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.sim.experts.chopstick import ChopstickDirector
from mem_vla_ros.sim.experts.clean_kitchen import CleanKitchenDirector
from mem_vla_ros.sim.experts.clean_up_counter import CleanUpCounterDirector
from mem_vla_ros.sim.experts.director import Director
from mem_vla_ros.sim.experts.find_object import FindObjectDirector
from mem_vla_ros.sim.experts.grilled_cheese import GrilledCheeseDirector
from mem_vla_ros.sim.experts.open_refrigerator import OpenRefrigeratorDirector
from mem_vla_ros.sim.experts.recipe_setup import RecipeSetupDirector
from mem_vla_ros.sim.experts.scoop_coffee import ScoopCoffeeDirector
from mem_vla_ros.sim.experts.sorting import SortingDirector
from mem_vla_ros.sim.experts.swap_mugs import SwapMugsDirector
from mem_vla_ros.sim.experts.unpack_groceries import UnpackGroceriesDirector
from mem_vla_ros.sim.experts.window_cleaning import WindowCleaningDirector

DIRECTORS: dict[str, type[Director]] = {
    'find_object': FindObjectDirector,
    'scoop_coffee': ScoopCoffeeDirector,
    'swap_mugs': SwapMugsDirector,
    'unpack_groceries': UnpackGroceriesDirector,
    'window_cleaning': WindowCleaningDirector,
    'grilled_cheese': GrilledCheeseDirector,
    'chopstick': ChopstickDirector,
    'open_refrigerator': OpenRefrigeratorDirector,
    'table_bussing': SortingDirector,
    'kitchen_cleanup': SortingDirector,
    'clean_up_counter': CleanUpCounterDirector,
    'recipe_setup': RecipeSetupDirector,
    'clean_kitchen': CleanKitchenDirector,
}


def make_director(task: str) -> Director:
    """
    Return the high level of a task's expert.

    :raises ConfigError: if there is no such task.
    """
    if task not in DIRECTORS:
        raise ConfigError(f'No expert for task {task!r}. Allowed: {sorted(DIRECTORS)}.')
    director = DIRECTORS[task]()
    director.reset()
    return director
