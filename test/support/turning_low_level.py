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

"""Runs node ``low_level_policy`` with a policy that moves the arm for ever."""

import sys

from support.fake_robot import TurningPolicy

from mem_vla_ros.ros import low_level_policy

if __name__ == '__main__':
    low_level_policy.make_low_level = lambda node, values, robot: TurningPolicy(robot.joint_names)
    sys.exit(low_level_policy.main())
