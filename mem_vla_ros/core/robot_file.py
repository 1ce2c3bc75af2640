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

"""Which robot file a command takes if none is named."""

from pathlib import Path


def robot_file(chosen: str | None = None) -> str:
    """Return the chosen robot file, or the simulated arm's: of a checkout, else as installed."""
    if chosen is not None:
        return chosen
    below = Path('config', 'robots', 'sim_arm.yaml')
    checkout = Path(__file__).parents[2] / below
    if checkout.exists():
        return str(checkout)
    from ament_index_python.packages import get_package_share_directory
    return str(Path(get_package_share_directory('mem_vla_ros')) / below)
