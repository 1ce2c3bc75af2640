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
Episodes of one task side by side in one process, with batched inference.

A small network spends most of its time on calls, not on numbers: a batch of eight robots costs
little more than one. Every episode is ``play_episode`` as it is, in a thread of its own; only
the questions to the models meet.
"""

from collections.abc import Iterator
from threading import Thread
from typing import Any

from torch import Tensor

from mem_vla_ros.evaluation.levels import Levels
from mem_vla_ros.evaluation.question_desk import DeskClosedError, QuestionDesk
from mem_vla_ros.evaluation.rollout import play_episode
from mem_vla_ros.evaluation.rollouts import RolloutJob, Row
from mem_vla_ros.policies.robots_model import ChunkQuestion, RobotsModel, TextQuestion
from mem_vla_ros.sim.world import World

_WRITE, _SAMPLE = 0, 1


class SeatedModel:
    """The model of one seat: its questions are answered at the desk."""

    def __init__(self, desk: QuestionDesk, model: RobotsModel, seat: int) -> None:
        self._desk, self._model, self._seat = desk, model, seat

    def reset(self) -> None:
        """Forget the episode."""
        self._model.reset(self._seat)

    def sample(self, question: ChunkQuestion) -> Tensor:
        """Return a chunk, normalised, (1, H, A)."""
        chunk: Tensor = self._desk.ask(self._seat, _SAMPLE, question)
        return chunk

    def write(self, question: TextQuestion) -> list[int]:
        """Return the token ids of an answer."""
        ids: list[int] = self._desk.ask(self._seat, _WRITE, question)
        return ids


class SideBySide:
    """
    Plays the episodes of a job, several at a time.

    :param seats: Episodes at a time.
    """

    def __init__(self, job: RolloutJob, levels: Levels, seats: int) -> None:
        self._job, self._levels = job, levels
        self._low_model = RobotsModel(levels.low, seats) if levels.low else None
        self._high_model = RobotsModel(levels.high, seats) if levels.high else None
        self._seats = seats
        self._rows: list[Row] = []
        self._errors: list[BaseException] = []

    def play(self, seeds: Iterator[int]) -> Iterator[Row]:
        """Yield one row per seed, in the order in which they end."""
        desk = QuestionDesk((
            self._high_model.write if self._high_model else _nobody,
            self._low_model.sample if self._low_model else _nobody))
        threads = [Thread(target=self._run_seat, args=(desk, seat, seeds), daemon=True)
                   for seat in range(self._seats)]
        try:
            with desk.turn:
                for seat, thread in enumerate(threads):
                    desk.join(seat)
                    thread.start()
                while desk.serve():
                    yield from self._take_rows()
                yield from self._take_rows()
        finally:
            with desk.turn:
                desk.close()
            for thread in threads:
                thread.join()

    def _take_rows(self) -> list[Row]:
        if self._errors:
            raise self._errors[0]
        rows, self._rows = self._rows, []
        return rows

    def _run_seat(self, desk: QuestionDesk, seat: int, seeds: Iterator[int]) -> None:
        with desk.turn:
            try:
                self._play_seat(desk, seat, seeds)
            except DeskClosedError:
                pass
            except BaseException as error:
                self._errors.append(error)
            finally:
                desk.leave(seat)

    def _play_seat(self, desk: QuestionDesk, seat: int, seeds: Iterator[int]) -> None:
        world: World | None = None
        try:
            for seed in seeds:
                # Made by the thread that draws: OpenGL is bound to it.
                world = world or self._job.make_world()
                row = self._play_episode(desk, seat, world, seed)
                self._rows.append(row)
        finally:
            if world is not None:
                world.close()

    def _play_episode(self, desk: QuestionDesk, seat: int, world: World, seed: int) -> Row:
        low, high = (SeatedModel(desk, model, seat) if model else None
                     for model in (self._low_model, self._high_model))
        return play_episode(
            world, seed, self._levels.low_level(world, seed, low),
            self._levels.high_level(world, high), self._job.settings)


def _nobody(questions: Any) -> Any:
    raise AssertionError(f'the expert asks no model: {questions}')
