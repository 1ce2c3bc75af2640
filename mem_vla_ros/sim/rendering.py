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

"""Headless rendering of all cameras in one pass."""

import mujoco
import numpy as np

from mem_vla_ros.core.types import ImageArray
from mem_vla_ros.sim.gl_backend import make_gl_context

_HIDDEN_EFFECTS = (
    mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION,
    mujoco.mjtRndFlag.mjRND_SKYBOX, mujoco.mjtRndFlag.mjRND_HAZE, mujoco.mjtRndFlag.mjRND_FOG)


class Renderer:
    """
    Draws every camera into one tiled off-screen buffer, which is read back once.

    The OpenGL context belongs to the thread that renders first; render and close there.
    """

    def __init__(self, model: mujoco.MjModel, cameras: tuple[str, ...], size: int) -> None:
        self._cameras = cameras
        self._size = size
        self._columns = 2 if len(cameras) > 1 else 1
        self._rows = -(-len(cameras) // self._columns)
        width, height = self._columns * size, self._rows * size
        self._gl = make_gl_context(width, height)
        self._gl.make_current()
        model.vis.global_.offwidth = width
        model.vis.global_.offheight = height
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._model = model
        self._scene = mujoco.MjvScene(model, maxgeom=400)
        for flag in _HIDDEN_EFFECTS:
            self._scene.flags[flag] = False
        self._options = mujoco.MjvOption()
        self._views = [self._fixed_camera(name) for name in cameras]
        self._buffer = np.zeros((height, width, 3), dtype=np.uint8)

    def _fixed_camera(self, name: str) -> mujoco.MjvCamera:
        view = mujoco.MjvCamera()
        view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        view.fixedcamid = self._model.camera(name).id
        return view

    def render(self, data: mujoco.MjData) -> dict[str, ImageArray]:
        """Return one RGB image of shape (size, size, 3) per camera."""
        self._gl.make_current()
        size = self._size
        mujoco.mjv_updateScene(
            self._model, data, self._options, None, self._views[0],
            mujoco.mjtCatBit.mjCAT_ALL, self._scene)
        for index, view in enumerate(self._views):
            row, column = divmod(index, self._columns)
            mujoco.mjv_updateCamera(self._model, data, view, self._scene)
            tile = mujoco.MjrRect(column * size, row * size, size, size)
            mujoco.mjr_render(tile, self._scene, self._context)
        whole = mujoco.MjrRect(0, 0, self._columns * size, self._rows * size)
        mujoco.mjr_readPixels(self._buffer, None, whole, self._context)
        images = {}
        for index, name in enumerate(self._cameras):
            row, column = divmod(index, self._columns)
            tile = self._buffer[row * size:(row + 1) * size, column * size:(column + 1) * size]
            # OpenGL's first row is the lowest one.
            images[name] = np.ascontiguousarray(tile[::-1])
        return images

    def close(self) -> None:
        """Free the OpenGL context."""
        self._gl.make_current()
        self._context.free()
        self._gl.free()
