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

"""TaskEnv: a task of the suite as a Gymnasium environment, without ROS."""

from typing import Any

import gymnasium
from gymnasium import spaces
import numpy as np

from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.sim.arm_limits import LOWER, UPPER
from mem_vla_ros.sim.gym_registration import register_environments
from mem_vla_ros.sim.rollout import DT
from mem_vla_ros.sim.world import CAMERAS, World

register_environments()


class TaskEnv(gymnasium.Env[dict[str, Any], FloatArray]):
    """
    One control step of 0.1 s per action.

    Observation: a dict of one RGB image per camera and ``joints``, the seven measured positions.
    Action: the seven position references to reach at the end of the step. Reward: new points of
    the task's rubric. ``info`` has the goal text and the score; privileged state is not in it.

    :param task: Name of the task.
    :param image_size: Side of the square images [px].
    """

    metadata = {'render_modes': ['rgb_array'], 'render_fps': round(1 / DT)}

    def __init__(
        self, task: str = 'find_object', image_size: int = 64, render_mode: str | None = None,
    ) -> None:
        self._world = World(task, image_size)
        self.render_mode = render_mode
        image = spaces.Box(0, 255, (image_size, image_size, 3), np.uint8)
        joints = spaces.Box(LOWER - 0.2, UPPER + 0.2, dtype=np.float64)
        self.observation_space = spaces.Dict(
            {**dict.fromkeys(CAMERAS, image), 'joints': joints})
        self.action_space = spaces.Box(LOWER, UPPER, dtype=np.float64)
        self._points = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """
        Start an episode.

        :param seed: Fixes the episode and, through Gymnasium's generator, those after it.
        :param options: ``{'secret': ...}`` sets what the task hides.
        """
        super().reset(seed=seed)
        episode_seed = int(self.np_random.integers(2 ** 31)) if seed is None else seed
        self._world.reset(episode_seed, (options or {}).get('secret'))
        self._points = self._world.score().points
        return self._observe(), self._info()

    def step(
        self, action: FloatArray,
    ) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Move the references to the action within 0.1 s."""
        self._world.step(action, DT)
        score = self._world.score()
        reward, self._points = score.points - self._points, score.points
        late = self._world.time >= self._world.task.time_limit - 1e-6
        terminated = score.done and (score.success or not late)
        return self._observe(), reward, terminated, late and not terminated, self._info()

    def _observe(self) -> dict[str, Any]:
        space = self.observation_space['joints']  # type: ignore[index]
        joints = np.clip(self._world.joint_positions, space.low, space.high)
        return {**self._world.render(), 'joints': joints}

    def _info(self) -> dict[str, Any]:
        return {'goal': self._world.goal, 'score': self._world.score().to_dict(),
                'time': self._world.time}

    def render(self) -> np.ndarray | None:
        """Return all cameras side by side."""
        if self.render_mode is None:
            return None
        return np.concatenate(list(self._world.render().values()), axis=1)

    def close(self) -> None:
        """Free the renderer."""
        self._world.close()
