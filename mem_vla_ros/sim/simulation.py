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

"""Simulation: one MuJoCo model with its state, addressed by names."""

import math

import mujoco
import numpy as np

from mem_vla_ros.core.types import FloatArray

TIMESTEP = 0.005


class Simulation:
    """Names instead of addresses over a compiled scene."""

    def __init__(self, xml: str) -> None:
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        self._initial_rgba = self.model.geom_rgba.copy()
        self._initial_positions = self.model.body_pos.copy()
        self._bodies = {self.model.body(i).name: i for i in range(self.model.nbody)}
        self._joints = {self.model.joint(i).name: i for i in range(self.model.njnt)}
        self._geoms = {self.model.geom(i).name: i for i in range(self.model.ngeom)}
        self._constraints = {self.model.equality(i).name: i for i in range(self.model.neq)}

    @property
    def time(self) -> float:
        """Return the simulated time since the reset [s]."""
        return float(self.data.time)

    def clear(self) -> None:
        """Go back to the state and looks that the XML describes."""
        self.model.geom_rgba[:] = self._initial_rgba
        self.model.body_pos[:] = self._initial_positions
        mujoco.mj_resetData(self.model, self.data)

    def settle(self) -> None:
        """Compute all positions from the joints, without letting time pass."""
        mujoco.mj_forward(self.model, self.data)

    def position(self, body: str) -> FloatArray:
        """Return where the body is."""
        return self.data.xpos[self._bodies[body]].copy()

    def rotation(self, body: str) -> FloatArray:
        """Return the rotation matrix of the body."""
        return self.data.xmat[self._bodies[body]].reshape(3, 3).copy()

    def point(self, body: str, local: tuple[float, float, float] | FloatArray) -> FloatArray:
        """Return a point of the body's frame in the world."""
        index = self._bodies[body]
        return self.data.xpos[index] + self.data.xmat[index].reshape(3, 3) @ np.asarray(local)

    def yaw(self, body: str) -> float:
        """Return the direction of the body's x axis in the table plane."""
        rotation = self.data.xmat[self._bodies[body]]
        return math.atan2(rotation[3], rotation[0])

    def speed(self, body: str) -> float:
        """Return how fast the body's origin moves [m/s]."""
        return float(np.linalg.norm(self.data.cvel[self._bodies[body], 3:]))

    def joint(self, name: str) -> float:
        """Return the position of a hinge or slide joint."""
        return float(self.data.qpos[self.model.jnt_qposadr[self._joints[name]]])

    def set_joint(self, name: str, value: float) -> None:
        """Set the position of a hinge or slide joint, at a reset only."""
        self.data.qpos[self.model.jnt_qposadr[self._joints[name]]] = value

    def push(self, joint: str, force: float) -> None:
        """Apply a force [N or Nm] to a joint until the next call."""
        self.data.qfrc_applied[self.model.jnt_dofadr[self._joints[joint]]] = force

    def place(self, body: str, position: FloatArray, yaw: float = 0.0) -> None:
        """Put a free body somewhere at rest, at a reset only."""
        joint = self.model.body_jntadr[self._bodies[body]]
        qpos, qvel = self.model.jnt_qposadr[joint], self.model.jnt_dofadr[joint]
        self.data.qpos[qpos:qpos + 3] = position
        self.data.qpos[qpos + 3:qpos + 7] = math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)
        self.data.qvel[qvel:qvel + 6] = 0.0

    def park(self, body: str, index: int = 0) -> None:
        """Put a free body that an episode does not need out of sight, at a reset only."""
        self.place(body, np.array([-2.5, 0.3 * index, -0.3]))

    def upright(self, body: str) -> float:
        """Return the cosine between the body's z axis and the vertical."""
        return float(self.data.xmat[self._bodies[body], 8])

    def move_fixed(self, body: str, position: FloatArray) -> None:
        """Put a body without joint, or on a joint, somewhere else, at a reset only."""
        self.model.body_pos[self._bodies[body]] = position

    def move_mocap(self, body: str, position: FloatArray) -> None:
        """Move a body that follows a script."""
        self.data.mocap_pos[self.model.body_mocapid[self._bodies[body]]] = position

    def paint(self, geom: str, rgba: tuple[float, float, float, float]) -> None:
        """Change the colour of a geom."""
        self.model.geom_rgba[self._geoms[geom]] = rgba

    def weld(self, constraint: str, shift: FloatArray | None = None) -> None:
        """
        Fix the second body of a weld to the first where it is now.

        :param shift: Where to draw it from there, in the frame of the first body.
        """
        index = self._constraints[constraint]
        first, second = self.model.eq_obj1id[index], self.model.eq_obj2id[index]
        rotation = self.data.xmat[first].reshape(3, 3)
        offset = rotation.T @ (self.data.xpos[second] - self.data.xpos[first])
        inverse, relative = np.zeros(4), np.zeros(4)
        mujoco.mju_negQuat(inverse, self.data.xquat[first])
        mujoco.mju_mulQuat(relative, inverse, self.data.xquat[second])
        self.model.eq_data[index, :3] = 0.0
        self.model.eq_data[index, 3:6] = offset if shift is None else offset + shift
        self.model.eq_data[index, 6:10] = relative
        self.data.eq_active[index] = 1

    def connect(self, constraint: str, point: FloatArray) -> None:
        """Tie both bodies of a connect constraint together where the point is now."""
        index = self._constraints[constraint]
        for body, columns in ((self.model.eq_obj1id[index], slice(0, 3)),
                              (self.model.eq_obj2id[index], slice(3, 6))):
            rotation = self.data.xmat[body].reshape(3, 3)
            self.model.eq_data[index, columns] = rotation.T @ (point - self.data.xpos[body])
        self.data.eq_active[index] = 1

    def release(self, constraint: str) -> None:
        """Undo a weld or a connect."""
        self.data.eq_active[self._constraints[constraint]] = 0
