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

"""A person's hand that moves on rails and can hold things and handles."""

from mem_vla_ros.sim.scene.part import Part

PERSON = 'person'

PERSON_PART = Part(f'''
<body name="{PERSON}" mocap="true" pos="0.3 0.9 0.4">
 <geom type="sphere" size="0.035" rgba=".95 .75 .6 1"/>
 <geom type="capsule" fromto="0 0.03 0.02 0 0.35 0.12" size="0.025" rgba=".2 .3 .8 1"/>
</body>''')
