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

"""World: one task in simulation, driven by joint references and seen by cameras."""

from typing import Any

import mujoco
import numpy as np

from mem_vla_ros.core.types import FloatArray, ImageArray
from mem_vla_ros.sim.arm_limits import HOME, LOWER, UPPER
from mem_vla_ros.sim.grasping import Grasping
from mem_vla_ros.sim.rendering import Renderer
from mem_vla_ros.sim.scene.arm import HAND_BODY, JOINT_NAMES, TOOL
from mem_vla_ros.sim.scene.part import scene_xml
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.simulation import Simulation, TIMESTEP
from mem_vla_ros.sim.tasks.registry import make_task

CAMERAS = ('base', 'left_wrist', 'right_wrist', 'rear')

# Mechanics such as grasping look at the world every so many physics steps.
_STEPS_PER_TICK = 4
# An arm whose joints are all slower is at rest, as far as experts care [rad/s].
_STILL = 0.3
# When an arm that is held once in an episode stops, earliest and latest [s].
_HELD_FROM_S = (15.0, 35.0)


class World:
    """
    One task, advanced by position references of the seven joints.

    Physics, rendering and scoring are separate: images are drawn only when asked for, by the
    thread that asks, which must always be the same one.
    """

    def __init__(
        self, task: str, image_size: int = 64, seed: int = 0,
        cameras: tuple[str, ...] = CAMERAS, slip: float = 0.0, hold: float = 0.0,
    ) -> None:
        """
        Build the scene and start the first episode.

        :param task: Name of the task, see ``memvla tasks``.
        :param image_size: Side of the square images [px].
        :param slip: Share of the grasps that slip, by chance that the seed fixes.
        :param hold: Once in an episode, at a moment that the seed fixes, the arm stays where it
            is for so long, whatever it is asked for; the episode may take as much longer [s].
        """
        self.task = make_task(task)
        self.joint_names = JOINT_NAMES
        self._image_size = image_size
        self._cameras = tuple(cameras)
        self._renderers: dict[int, Renderer] = {}
        self._drawn: dict[int, dict[str, ImageArray]] = {}
        self._drawn_at: dict[int, int] = {}
        self._simulation = Simulation(scene_xml(self.task.parts()))
        self._grasping = Grasping(
            self._simulation, self.task.things(), self.task.handles(), slip)
        self.task.bind(self._simulation, self._grasping)
        self.task.extra_time = self._hold = hold
        model = self._simulation.model
        self._qpos = np.array([model.joint(name).qposadr[0] for name in JOINT_NAMES])
        self._qvel = np.array([model.joint(name).dofadr[0] for name in JOINT_NAMES])
        self._mimic = int(model.joint('gripper_mimic').qposadr[0])
        self.reset(seed)

    @property
    def goal(self) -> str:
        """Return the instruction for the policies."""
        return self.task.goal

    @property
    def time(self) -> float:
        """Return the simulated time since the reset [s]."""
        return self._steps * TIMESTEP

    @property
    def joint_positions(self) -> FloatArray:
        """Return the measured positions, shape (7,); the gripper's is its opening [m]."""
        return self._simulation.data.qpos[self._qpos].copy()

    @property
    def joint_velocities(self) -> FloatArray:
        """Return the measured velocities, shape (7,)."""
        return self._simulation.data.qvel[self._qvel].copy()

    @property
    def reference(self) -> FloatArray:
        """Return the position reference that the joints follow now, shape (7,)."""
        return self._reference.copy()

    @property
    def misses(self) -> int:
        """Return how often the gripper closed on nothing, which its measured opening tells."""
        return self._grasping.misses

    def reset(self, seed: int | None = None, secret: Any = None) -> None:
        """
        Start a new episode.

        :param seed: Fixes everything random; None takes the next seed.
        :param secret: What the task hides, one of ``task.secrets``; None leaves it to the seed.
        """
        self.seed = self.seed + 1 if seed is None else seed
        choice = np.random.default_rng((self.seed, 1)).integers(len(self.task.secrets))
        rng = np.random.default_rng((self.seed, 0))
        self._held_from = np.random.default_rng((self.seed, 6)).uniform(*_HELD_FROM_S)
        self._steps = 0
        self._drawn_at.clear()
        self._simulation.clear()
        self._grasping.reset(np.random.default_rng((self.seed, 3)))
        self._reset_arm(rng)
        self.task.secret = self.task.secrets[choice] if secret is None else secret
        self.task.reset(rng)
        self._simulation.settle()

    def _reset_arm(self, rng: np.random.Generator) -> None:
        position = HOME.copy()
        position[[0, 1, 2, 4]] += rng.normal(0.0, 0.03, 4)
        self._reference = position
        self._simulation.data.qpos[self._qpos] = position
        self._simulation.data.qpos[self._mimic] = position[6]
        self._simulation.data.ctrl[:] = position

    def step(self, reference: FloatArray, duration: float) -> None:
        """
        Let time pass while the position reference moves linearly to a new one.

        :param reference: Joint positions to reach, shape (7,); moved inside the limits.
        :param duration: A multiple of 5 ms [s].
        :raises ValueError: if a value is not finite, the shape or the duration wrong.
        """
        target = np.asarray(reference, dtype=np.float64)
        steps = round(duration / TIMESTEP)
        # CHECK: seven finite positions
        if target.shape != (len(JOINT_NAMES),) or not np.all(np.isfinite(target)):
            raise ValueError(f'Reference needs {len(JOINT_NAMES)} finite values. Got {target}.')
        # CHECK: whole physics steps
        if steps < 1 or abs(steps * TIMESTEP - duration) > 1e-9:
            raise ValueError(f'Duration must be a multiple of {TIMESTEP} s. Got {duration}.')
        start = self._reference
        held = self._held_from <= self.time < self._held_from + self._hold
        target = start if held else np.clip(target, LOWER, UPPER)
        model, data = self._simulation.model, self._simulation.data
        for step in range(1, steps + 1):
            self._reference = start + (target - start) * (step / steps)
            if self._steps % _STEPS_PER_TICK == 0:
                self._tick()
            data.ctrl[:6] = self._reference[:6]
            data.ctrl[6] = max(self._reference[6], self._finger_stop)
            mujoco.mj_step(model, data)
            self._steps += 1

    def _tick(self) -> None:
        self.task.update()
        self._finger_stop = self._grasping.update(float(self._reference[6]))

    def render(self, size: int | None = None) -> dict[str, ImageArray]:
        """Return an RGB image of shape (size, size, 3) per camera; drawn once for each time."""
        size = size or self._image_size
        if size not in self._renderers:
            self._renderers[size] = Renderer(self._simulation.model, self._cameras, size)
        if self._drawn_at.get(size) != self._steps:
            self._drawn[size] = self._renderers[size].render(self._simulation.data)
            self._drawn_at[size] = self._steps
        return dict(self._drawn[size])

    def oracle(self) -> dict[str, Any]:
        """Return what only experts may know, as plain values for JSON."""
        simulation, task = self._simulation, self.task
        things = {thing.name: {
            'at': _rounded(simulation.point(thing.name, thing.grasp)),
            'yaw': round(simulation.yaw(thing.name), 3), 'symmetry': thing.symmetry,
            'bottom': round(thing.grasp[2] + thing.rest_height, 4),
        } for thing in task.things()}
        handles = {handle.name: {
            'at': _rounded(simulation.point(handle.body, handle.grasp)),
            'open': round(simulation.joint(handle.joint), 3)} for handle in task.handles()}
        return {
            'task': task.name, 'time': round(self.time, 3), 'held': self._grasping.held,
            'lifted': self._grasping.lifted, 'misses': self._grasping.misses,
            'still': bool(np.abs(self.joint_velocities[:6]).max() < _STILL),
            'tool': _rounded(simulation.point(HAND_BODY, TOOL)),
            'things': things, 'handles': handles,
            'places': task.places(), 'travel': task.travel_height, 'state': task.state()}

    def score(self) -> Score:
        """Return the points so far."""
        return self.task.score()

    def close(self) -> None:
        """Free the renderers; call from the thread that rendered."""
        for renderer in self._renderers.values():
            renderer.close()
        self._renderers.clear()


def _rounded(values: FloatArray) -> list[float]:
    return [round(float(value), 4) for value in values]
