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

"""Who may command: one session, the present episode, and never the same chunk twice."""

from collections import deque
import math

from mem_vla_ros.core.types import ActionChunk
from mem_vla_ros.execution.fault import Fault

_REMEMBERED_EPISODES = 64


class ChunkOrigin:
    """
    Binds to the first session that sends a chunk.

    Another session is not heard while the first is alive. If both go on, :attr:`contested` is
    set until :meth:`release`; a policy that merely restarted is taken over from after the
    timeout. A chunk without an episode belongs to the present one.

    :param timeout_s: A session that was silent for longer may be replaced by a new one [s].
    """

    def __init__(self, timeout_s: float = 1.0) -> None:
        self.timeout_s = timeout_s
        self.session = ''
        self.episode = ''
        self.contested = False
        self._intruded_at = -math.inf
        self._closed: deque[str] = deque(maxlen=_REMEMBERED_EPISODES)
        self._heard_at = -math.inf
        self._newest = -math.inf

    def admit(self, chunk: ActionChunk, now: float) -> Fault | None:
        """Return why this sender or this chunk is not heard, or None and remember it."""
        # CHECK: sender is the bound one, or that one is gone
        if chunk.session != self.session:
            if now - self._heard_at <= self.timeout_s:
                self._intruded_at = now
                return Fault(
                    'second_session',
                    f'got session {chunk.session!r} while {self.session!r} is alive')
            self.session = chunk.session
            self._newest = -math.inf
            self._intruded_at = -math.inf  # the intruder was this one, come too early
        elif now - self._intruded_at <= self.timeout_s:
            self.contested = True
        self._heard_at = now
        # CHECK: episode is not over
        if chunk.episode in self._closed:
            return Fault('old_episode', f'episode {chunk.episode!r} is over')
        # CHECK: chunk is newer than the last one
        if chunk.stamp <= self._newest:
            return Fault(
                'repeated_chunk', f'stamp {chunk.stamp:.6f} is not after {self._newest:.6f}')
        if chunk.episode and chunk.episode != self.episode:
            self.close_episode()
            self.episode = chunk.episode
        self._newest = chunk.stamp
        return None

    def close_episode(self) -> None:
        """Hear no more chunks of the present episode."""
        if self.episode:
            self._closed.append(self.episode)
        self.episode = ''

    def unbind(self) -> None:
        """Let any session bind, to go on with the present episode."""
        self.session = ''
        self.contested = False
        self._intruded_at = -math.inf
        self._heard_at = -math.inf

    def release(self) -> None:
        """Let any session bind, with any stamp: after a jump of the clock."""
        self.close_episode()
        self.unbind()
        self._newest = -math.inf
