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
Choice of the OpenGL backend for headless rendering: EGL where it works, else OSMesa.

A backend that the user names in ``MUJOCO_GL`` is respected.
"""

import ctypes
import os
from typing import Any

_EGL_EXTENSION_FUNCTION = b'eglQueryDevicesEXT'


def make_gl_context(width: int, height: int) -> Any:
    """Return an off-screen OpenGL context of MuJoCo's."""
    # Mesa's software rasteriser is faster on these small images without threads of its own.
    os.environ.setdefault('LP_NUM_THREADS', '0')
    backend = os.environ.get('MUJOCO_GL') or ('egl' if egl_has_device() else 'osmesa')
    # Not mujoco.GLContext: that one is fixed when mujoco is first imported, maybe by others.
    if backend == 'egl':
        from mujoco.egl import GLContext
    elif backend == 'osmesa':
        from mujoco.osmesa import GLContext
    else:
        from mujoco import GLContext
    return GLContext(width, height)


def egl_has_device() -> bool:
    """Return whether libEGL is installed and lists at least one device, a software one too."""
    try:
        library = ctypes.CDLL('libEGL.so.1')
    except OSError:
        return False
    library.eglGetProcAddress.restype = ctypes.c_void_p
    address = library.eglGetProcAddress(ctypes.c_char_p(_EGL_EXTENSION_FUNCTION))
    if not address:
        return False
    query_devices = ctypes.CFUNCTYPE(
        ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))(address)
    count = ctypes.c_int(0)
    return bool(query_devices(0, None, ctypes.byref(count))) and count.value > 0
