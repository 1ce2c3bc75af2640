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
Registration of the task suite with Gymnasium, as ``mem_vla_ros/FindObject-v0`` and so on.

Gymnasium finds it by this package's entry point; nothing heavy is imported here.
"""

import gymnasium

TASK_NAMES = (
    'find_object', 'swap_mugs', 'unpack_groceries', 'scoop_coffee', 'grilled_cheese',
    'window_cleaning', 'chopstick', 'open_refrigerator', 'recipe_setup', 'clean_kitchen',
    'table_bussing', 'clean_up_counter', 'kitchen_cleanup')


def environment_id(task: str) -> str:
    """Return Gymnasium's name of a task."""
    camel = ''.join(word.capitalize() for word in task.split('_'))
    return f'mem_vla_ros/{camel}-v0'


def register_environments() -> None:
    """Register every task once."""
    for task in TASK_NAMES:
        if environment_id(task) not in gymnasium.registry:
            gymnasium.register(
                environment_id(task), entry_point='mem_vla_ros.sim.gym_env:TaskEnv',
                kwargs={'task': task})
