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
What Fast DDS needs for large images: its profile, and no memory held by dead processes.

Measured and explained in `docs/middleware.md`.
"""

from collections.abc import Iterator, Mapping
import contextlib
import fcntl
from pathlib import Path
import re

# Fast DDS 2 (Jazzy) reads the first, Fast DDS 3 the second; the third picks its transports.
USER_CHOICES = (
    'FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE',
    'FASTDDS_BUILTIN_TRANSPORTS')
FAST_DDS = ('rmw_fastrtps_cpp', 'rmw_fastrtps_dynamic_cpp')
SHARED_MEMORY = Path('/dev/shm')
# A new process makes its lock file first and locks it an instant later.
YOUNGEST_DEAD_S = 10.0
_LOCK_FILE = re.compile(r'fastrtps_[0-9a-f]{16}_el')


def fastdds_environment(environ: Mapping[str, str], profile: str) -> dict[str, str]:
    """
    Return the variables to set, none if the user chose a profile, transports or other middleware.

    :param environ: The environment as the user has it; an empty value counts as not set.
    :param profile: Path of `config/fastdds.xml`.
    """
    if any(environ.get(name) for name in USER_CHOICES):
        return {}
    if (environ.get('RMW_IMPLEMENTATION') or FAST_DDS[0]) not in FAST_DDS:
        return {}
    return {'FASTRTPS_DEFAULT_PROFILES_FILE': profile}


def remove_dead_segments(now: float, directory: Path = SHARED_MEMORY) -> int:
    """
    Remove the shared memory of killed Fast DDS processes and return the number of bytes freed.

    A process keeps `<segment>_el` locked as long as it lives, in whatever container; the kernel
    drops the lock when it dies. Ports are left alone: Fast DDS renews them itself.

    :param now: Time of the system clock [s]; lock files younger than 10 s are left alone.
    """
    return sum(_remove_if_dead(lock, now) for lock in list(_lock_files(directory)))


def _lock_files(directory: Path) -> Iterator[Path]:
    if directory.is_dir():
        yield from (path for path in directory.iterdir() if _LOCK_FILE.fullmatch(path.name))


def _remove_if_dead(lock: Path, now: float) -> int:
    segment = lock.with_name(lock.name.removesuffix('_el'))
    # Gone meanwhile, alive (locked), or another user's: none of these is ours to remove.
    with contextlib.suppress(OSError), lock.open('rb') as file:
        if now - lock.stat().st_mtime < YOUNGEST_DEAD_S:
            return 0
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        size = segment.stat().st_size if segment.exists() else 0
        segment.unlink(missing_ok=True)
        lock.unlink()
        return size
    return 0
