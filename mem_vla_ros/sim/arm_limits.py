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

"""Joint limits and home of the simulated arm, as in ``config/robots/sim_arm.yaml``."""

import numpy as np

LOWER = np.array([-2.8, -2.2, -0.2, -3.1, -2.3, -3.1, 0.0])
UPPER = np.array([2.8, 2.2, 2.8, 3.1, 2.3, 3.1, 0.035])
VELOCITY = np.array([2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 0.4])
HOME = np.array([0.0, -0.9, 2.3, 0.0, 0.9, 0.0, 0.03])
