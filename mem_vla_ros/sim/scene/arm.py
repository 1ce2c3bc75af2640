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

"""The arm in MuJoCo's XML: six joints and a parallel gripper, made of primitive shapes."""

JOINT_NAMES = ('joint_1', 'joint_2', 'joint_3', 'joint_4', 'joint_5', 'joint_6', 'gripper')
HAND_BODY = 'hand_link'
# Between the finger tips, in the frame of the hand.
TOOL = (0.0, 0.0, 0.075)

_WHITE = 'rgba=".9 .9 .92 1"'
_ORANGE = 'rgba=".95 .5 .1 1"'
_BLACK = 'rgba=".12 .12 .13 1"'

ARM_BODY = f'''
<body name="arm_base">
 <geom type="cylinder" size="0.06 0.05" pos="0 0 0.05" rgba=".25 .25 .28 1"/>
 <body name="link_1" pos="0 0 0.1" gravcomp="1">
  <joint class="arm" name="joint_1" axis="0 0 1" range="-2.8 2.8"/>
  <geom type="cylinder" size="0.05 0.05" pos="0 0 0.05" {_WHITE} mass="1"/>
  <body name="link_2" pos="0 0 0.1" gravcomp="1">
   <joint class="arm" name="joint_2" axis="0 1 0" range="-2.2 2.2"/>
   <geom type="capsule" fromto="0 0 0 0 0 0.28" size="0.04" {_ORANGE} mass="1"/>
   <body name="link_3" pos="0 0 0.28" gravcomp="1">
    <joint class="arm" name="joint_3" axis="0 1 0" range="-0.2 2.8"/>
    <geom type="capsule" fromto="0 0 0 0 0 0.14" size="0.033" {_WHITE} mass=".6"/>
    <body name="link_4" pos="0 0 0.14" gravcomp="1">
     <joint class="arm" name="joint_4" axis="0 0 1" range="-3.1 3.1"/>
     <geom type="capsule" fromto="0 0 0.01 0 0 0.10" size="0.03" {_WHITE} mass=".4"/>
     <body name="link_5" pos="0 0 0.12" gravcomp="1">
      <joint class="arm" name="joint_5" axis="0 1 0" range="-2.3 2.3"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.05" size="0.028" {_ORANGE} mass=".3"/>
      <body name="{HAND_BODY}" pos="0 0 0.07" gravcomp="1">
       <joint class="arm" name="joint_6" axis="0 0 1" range="-3.1 3.1"/>
       <geom type="box" size="0.02 0.045 0.012" pos="0 0 0.01" {_BLACK} mass=".2"/>
       <camera name="left_wrist" pos="-0.07 0 -0.02" xyaxes="0 -1 0 -0.95 0 0.3" fovy="75"/>
       <body name="finger_1" pos="0 0 0.05" gravcomp="1">
        <joint name="gripper" type="slide" axis="0 1 0" range="0 0.035" damping="5"
         armature=".01"/>
        <geom type="box" size="0.008 0.005 0.03" pos="0 0.007 0" {_BLACK} mass=".03"/>
       </body>
       <body name="finger_2" pos="0 0 0.05" gravcomp="1">
        <joint name="gripper_mimic" type="slide" axis="0 -1 0" range="0 0.035" damping="5"
         armature=".01"/>
        <geom type="box" size="0.008 0.005 0.03" pos="0 -0.007 0" {_BLACK} mass=".03"/>
       </body>
      </body>
     </body>
    </body>
   </body>
  </body>
 </body>
</body>
'''

ARM_EQUALITY = '<joint joint1="gripper_mimic" joint2="gripper"/>'

ARM_ACTUATORS = '''
<position joint="joint_1" kp="800" kv="60"/>
<position joint="joint_2" kp="800" kv="60"/>
<position joint="joint_3" kp="600" kv="40"/>
<position joint="joint_4" kp="200" kv="14"/>
<position joint="joint_5" kp="200" kv="14"/>
<position joint="joint_6" kp="100" kv="7"/>
<position joint="gripper" kp="100" kv="6"/>
'''
