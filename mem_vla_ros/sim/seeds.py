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
Seeds of training, validation and evaluation, which never meet.

What a policy is trained on, what settings are chosen by, and what is reported are three things.
The ranges from 2,000,000 to 5,000,000 on were evaluated on before weights were chosen anew, so
they are used up.
"""

TRAINING = range(100_000, 1_000_000)
VALIDATION = range(1_000_000, 1_100_000)
EVALUATION = range(6_000_000, 6_100_000)
