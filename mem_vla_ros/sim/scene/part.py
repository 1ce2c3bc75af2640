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

"""Part: a piece of a scene in MuJoCo's XML."""

from collections.abc import Iterable
from dataclasses import dataclass

from mem_vla_ros.sim.scene.arm import ARM_ACTUATORS, ARM_BODY, ARM_EQUALITY

# Furniture stops things but neither furniture nor the arm; things stop each other.
SOLID = 'contype="1" conaffinity="0"'
THING = 'contype="1" conaffinity="1"'

_TEMPLATE = '''
<mujoco model="mem_vla_ros">
 <compiler angle="radian" autolimits="true"/>
 <option timestep="0.005" integrator="implicitfast" iterations="20" ls_iterations="10"/>
 <visual>
  <global offwidth="128" offheight="128"/>
  <quality shadowsize="0" offsamples="0" numslices="10" numstacks="5" numquads="1"/>
  <map znear="0.01"/>
  <headlight ambient=".45 .45 .45" diffuse=".5 .5 .5" specular="0 0 0"/>
 </visual>
 <statistic extent="1"/>
 <default>
  <geom contype="0" conaffinity="0"/>
  <default class="arm"><joint damping="4" armature="0.05"/></default>
 </default>
 <worldbody>
  <light pos="0 0 2" dir="0.2 0 -1" diffuse=".4 .4 .4" castshadow="false"/>
  <geom name="floor" type="plane" size="3 3 .1" pos="0 0 -.4" rgba=".35 .37 .4 1"
   contype="1" conaffinity="0"/>
  <geom name="table" type="box" size="0.5 0.6 0.02" pos="0.25 0 -0.02" rgba=".82 .8 .76 1"
   contype="1" conaffinity="0"/>
  <camera name="base" pos="-0.22 0 0.78" xyaxes="0.000 -1.000 0.000 0.786 0.000 0.618"
   fovy="50"/>
  <camera name="right_wrist" pos="0.28 -0.8 0.5" xyaxes="1.000 -0.025 0.000 0.012 0.465 0.885"
   fovy="50"/>
  <camera name="rear" pos="-0.38 0.58 0.72" xyaxes="-0.645 -0.764 0.000 0.442 -0.374 0.815"
   fovy="46"/>
{bodies}
 </worldbody>
 <equality>{equalities}</equality>
 <actuator>{actuators}</actuator>
</mujoco>
'''


@dataclass(frozen=True)
class Part:
    """
    Bodies and constraints of one piece of furniture or one thing.

    :param bodies: Elements of the world body.
    :param equalities: Constraints, such as what holds things, inactive at first.
    """

    bodies: str = ''
    equalities: str = ''


def scene_xml(parts: Iterable[Part]) -> str:
    """Return a whole scene: table, arm, cameras and the parts."""
    parts = list(parts)
    return _TEMPLATE.format(
        bodies='\n'.join([ARM_BODY, *(part.bodies for part in parts)]),
        equalities='\n'.join([ARM_EQUALITY, *(part.equalities for part in parts)]),
        actuators=ARM_ACTUATORS)
