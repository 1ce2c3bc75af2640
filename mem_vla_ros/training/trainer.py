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
The training loop: resumable to the bit, interruptible at any time.

Everything random in a step comes from the run's seed and the step's number, so a resumed run
does exactly what an uninterrupted one would have done.
"""

from collections.abc import Callable
from contextlib import nullcontext
import time

import numpy as np
import torch
from tqdm import tqdm

from mem_vla_ros.models.batch import TrainingBatch
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.training.bfloat16_linear import bfloat16_is_fast, Bfloat16Linear
from mem_vla_ros.training.episode import EpisodeSource
from mem_vla_ros.training.episode_choice import EpisodeChoice
from mem_vla_ros.training.high_level_batch import high_level_batch
from mem_vla_ros.training.low_level_batch import low_level_batch
from mem_vla_ros.training.optimisation import Optimisation, rate_share
from mem_vla_ros.training.run_folder import RunFolder
from mem_vla_ros.training.train_config import TrainConfig

Rollout = Callable[[Checkpoint], dict[str, float]]


class Trainer:
    """
    Trains one checkpoint on a set of episodes.

    :param rollout: Share of solved episodes by task with the averaged weights; None: unknown.
    """

    def __init__(
        self, checkpoint: Checkpoint, episodes: EpisodeSource, config: TrainConfig,
        folder: RunFolder, rollout: Rollout | None = None,
    ) -> None:
        self.checkpoint = checkpoint
        self.config = config
        self._choice = EpisodeChoice(episodes, config.task_weights)
        self._choice.require(config.stale_memory_of, 'stale_memory_of')
        self._choice.require(config.misheard_subtask_of, 'misheard_subtask_of')
        self._folder = folder
        self._rollout = rollout
        folder.keep_settings(config)
        torch.set_num_threads(config.threads)
        checkpoint.model.train()
        self._optimisation = Optimisation(checkpoint.model, config)
        self._bfloat16 = config.bfloat16 and bfloat16_is_fast()
        self._step, self._seconds = 0, 0.0
        snapshot = folder.load_snapshot()
        if snapshot is not None:
            tensors, self._step, self._seconds = snapshot
            self._optimisation.load_tensors(tensors)

    @property
    def averaged(self) -> Checkpoint:
        """Return the checkpoint with the averaged weights."""
        return Checkpoint(
            self._optimisation.average, self.checkpoint.tokenizer,
            self.checkpoint.normalisation, self.checkpoint.fast)

    def run(self, until: int | None = None) -> None:
        """
        Train up to a step, by default the configured last one, and save.

        Interrupted by Ctrl-C it saves too; killed, it loses what came after the last snapshot.
        """
        last = self.config.steps if until is None else until
        started = saved = time.monotonic()
        before = self._seconds
        bar = tqdm(total=last, initial=self._step, desc=self.config.level, unit='step')
        try:
            while self._step < last:
                losses = self._train_step()
                self._seconds = before + time.monotonic() - started
                bar.update()
                bar.set_postfix(loss=f'{losses["total"]:.4f}')
                if time.monotonic() - saved > self.config.snapshot_s:
                    self._save()
                    saved = time.monotonic()
        except KeyboardInterrupt:
            tqdm.write(f'interrupted at step {self._step}; the same command resumes')
            raise
        finally:
            bar.close()
            self._save()
            self._folder.close()

    def _train_step(self) -> dict[str, float]:
        config = self.config
        rng = np.random.default_rng((config.seed, self._step))
        torch.manual_seed(int(rng.integers(2**63)))
        batch = self._batch(rng)
        with Bfloat16Linear() if self._bfloat16 else nullcontext():
            losses = self.checkpoint.model.loss(batch, config.noise_samples)
        norm = self._optimisation.step(losses['total'], self._step)
        values = {name: float(value.detach()) for name, value in losses.items()}
        self._step += 1
        if self._step % config.log_every == 0:
            self._folder.log(self._step, {
                **values, 'gradient_norm': norm, 'rate_share': rate_share(self._step, config),
                'seconds': self._seconds})
        if self._rollout and config.rollout_every and self._step % config.rollout_every == 0:
            solved = self._rollout(self.averaged)
            self._folder.log_rollouts(self._step, solved)
            tqdm.write(f'step {self._step}: solved {solved}')
        return values

    def _batch(self, rng: np.random.Generator) -> TrainingBatch:
        episodes = self._choice.draw(self.config.episodes_per_batch, rng)
        make = low_level_batch if self.config.level == 'low' else high_level_batch
        return make(episodes, self.checkpoint, self.config, rng)

    def _save(self) -> None:
        self._folder.save_snapshot(self._optimisation.tensors(), self._step, self._seconds)
        self.averaged.save_pretrained(self._folder.checkpoint, {
            'step': self._step, 'training_seconds': round(self._seconds),
            'tasks': self._choice.tasks,
            'settings': self.config.to_dict()})
