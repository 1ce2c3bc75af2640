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

"""Rollouts in several processes: each takes the next seed when it is free for one."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
import multiprocessing
from queue import Empty
from typing import Any, NamedTuple

from mem_vla_ros.evaluation.rollouts import RolloutJob, RolloutPlayer, Row

# How often is looked whether a worker has failed [s].
_LOOK_EVERY_S = 1.0


class _Shift(NamedTuple):
    """What the workers share: the work, how many of the seeds are taken, and the outcome."""

    job: RolloutJob
    seeds: Sequence[int]
    batch: int
    taken: Any
    rows: Any


def roll_out_in_workers(
    job: RolloutJob, seeds: Sequence[int], workers: int, batch: int,
) -> Iterator[Row]:
    """Yield one row per seed, in the order in which they end; see ``roll_out``."""
    # A fresh interpreter for each: OpenGL does not survive a fork.
    context = multiprocessing.get_context('spawn')
    shift = _Shift(job, tuple(seeds), batch, context.Value('l', 0), context.Queue())
    with ProcessPoolExecutor(workers, context, _start_worker, (shift,)) as pool:
        work = [pool.submit(_work) for _ in range(workers)]
        missing = len(seeds)
        try:
            while missing:
                for part in work:
                    if part.done():
                        part.result()  # raises what a worker raised, or that it was killed
                try:
                    yield shift.rows.get(timeout=_LOOK_EVERY_S)
                except Empty:
                    continue
                missing -= 1
        finally:
            # Whoever leaves early need not wait for seeds that nobody has begun.
            shift.taken.value = len(seeds)


_shift: _Shift


def _start_worker(shift: _Shift) -> None:
    global _shift
    _shift = shift


def _work() -> None:
    with closing(RolloutPlayer(_shift.job)) as player:
        for row in player.play_all(_next_seeds(), _shift.batch):
            _shift.rows.put(row)


def _next_seeds() -> Iterator[int]:
    while True:
        with _shift.taken.get_lock():
            index = _shift.taken.value
            _shift.taken.value += 1
        if index >= len(_shift.seeds):
            return
        yield _shift.seeds[index]
