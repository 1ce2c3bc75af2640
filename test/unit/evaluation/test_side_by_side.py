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

"""Episodes side by side end as they do one by one."""

from concurrent.futures.process import BrokenProcessPool
import multiprocessing
import threading

import pytest
from support.node_graph import ROBOT_FILE
import torch

from mem_vla_ros.core.robot import load_robot
from mem_vla_ros.evaluation.question_desk import QuestionDesk
from mem_vla_ros.evaluation.rollouts import roll_out, RolloutJob
from mem_vla_ros.evaluation.side_by_side import SideBySide
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.normalisation import Normalisation, Scaling
from mem_vla_ros.models.presets import preset
from mem_vla_ros.models.text_tokenizer import byte_tokenizer
from mem_vla_ros.policies.memvla_low_level import MemVlaLowLevel
from mem_vla_ros.sim.tasks.chopstick import Chopstick

SEEDS = (7, 8, 9)


@pytest.fixture(scope='module')
def job(tmp_path_factory):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    limits = load_robot(ROBOT_FILE).limits
    scaling = Scaling(tuple(limits.lower.tolist()), tuple(limits.upper.tolist()))
    folder = str(tmp_path_factory.mktemp('checkpoint'))
    Checkpoint(MemVLA(preset('tiny')).eval(), byte_tokenizer(), Normalisation(scaling, scaling)
               ).save_pretrained(folder)
    return RolloutJob('chopstick', folder, folder, ROBOT_FILE)


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(Chopstick, 'time_limit', 1.5)


@pytest.fixture
def chunks(monkeypatch):
    """Collect the first joint targets of every chunk by the seed of its episode."""
    predict, collected = MemVlaLowLevel.predict, {}

    def collect(self, *question):
        chunk = predict(self, *question)
        collected.setdefault(self._seed, []).append(torch.from_numpy(chunk.positions))
        return chunk
    monkeypatch.setattr(MemVlaLowLevel, 'predict', collect)
    return collected


def test_side_by_side_ends_as_one_by_one(job, chunks):
    rows = {row['seed']: row for row in roll_out(job, SEEDS)}
    alone = dict(chunks)
    chunks.clear()
    together = list(roll_out(job, SEEDS, batch=2))
    assert {row['seed']: row for row in together} == rows
    assert together[-1]['seed'] == SEEDS[-1]
    for seed in SEEDS:
        torch.testing.assert_close(chunks[seed], alone[seed], atol=1e-3, rtol=0)


def test_rows_come_as_episodes_end_and_the_rest_can_be_left(job):
    before = threading.active_count()
    rows = roll_out(job, SEEDS, batch=2)
    assert next(rows)['seed'] in SEEDS[:2]
    rows.close()
    assert threading.active_count() == before


def test_an_error_in_an_episode_is_raised(job, monkeypatch):
    def fail(self, *questions):
        raise ValueError('no such world')
    monkeypatch.setattr(SideBySide, '_play_episode', fail)
    with pytest.raises(ValueError, match='no such world'):
        list(roll_out(job, SEEDS, batch=2))


def test_a_worker_that_is_killed_ends_the_rollouts_with_an_error(job):
    rows = roll_out(job, range(7, 17), workers=2)
    assert next(rows)['seed'] in range(7, 17)
    for worker in multiprocessing.active_children():
        worker.kill()
    with pytest.raises(BrokenProcessPool):
        list(rows)


def test_the_desk_answers_the_urgent_first_and_the_others_together():
    batches = []

    def answer(questions):
        batches.append(dict(questions))
        return questions
    desk = QuestionDesk((answer, answer))

    def run(seat):
        with desk.turn:
            if seat == 1:
                desk.ask(seat, 0, 'urgent')
            desk.ask(seat, 1, 'common')
            desk.leave(seat)
    threads = [threading.Thread(target=run, args=(seat,)) for seat in range(2)]
    with desk.turn:
        for seat, thread in enumerate(threads):
            desk.join(seat)
            thread.start()
        while desk.serve():
            pass
    for thread in threads:
        thread.join()
    assert batches == [{1: 'urgent'}, {0: 'common', 1: 'common'}]
