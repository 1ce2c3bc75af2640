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
Training targets per second: whole episodes in one pass against clip by clip.

The `tiny` preset with its training recipe (six frames, four noise samples per target), forward
and backward of the whole model. Also what the cached prefix saves when sampling actions. Times
are CPU seconds of one thread; every round measures all, ratios are medians over the rounds.
"""

import argparse
from dataclasses import replace
import json
from statistics import median
import sys

from alternating import measure, ratio
import torch

from mem_vla_ros.models.batch import TrainingBatch
from mem_vla_ros.models.mem_vla import MemVLA
from mem_vla_ros.models.presets import preset

EPISODES, STEPS, FRAMES, NOISE_SAMPLES, WORDS, FLOW_STEPS = 2, 24, 6, 4, 10, 10
BAR = 3.0


def episode_batch() -> TrainingBatch:
    """Return two episodes, every frame of which is a target."""
    count = EPISODES * STEPS
    return TrainingBatch(
        images=torch.randint(0, 256, (EPISODES, 4, STEPS, 3, 64, 64)).to(torch.uint8),
        times=torch.arange(STEPS).double().expand(EPISODES, 1, STEPS),
        valid=torch.ones(EPISODES, 4, STEPS, dtype=torch.bool),
        steps=torch.cartesian_prod(torch.arange(EPISODES), torch.arange(STEPS)),
        states=torch.randn(count, FRAMES, 7),
        state_valid=torch.ones(count, FRAMES, dtype=torch.bool),
        text_ids=torch.randint(3, 500, (count, WORDS)),
        text_valid=torch.ones(count, WORDS, dtype=torch.bool),
        actions=torch.randn(count, 16, 7))


def clip_batch(episodes: TrainingBatch) -> TrainingBatch:
    """Return the same targets, each with a clip of its own."""
    slots = torch.arange(STEPS)[:, None] + torch.arange(1 - FRAMES, 1)  # (T, K)
    index = slots.clamp_min(0)
    images = episodes.images[:, :, index].transpose(1, 2).flatten(0, 1)  # (N, C, K, 3, H, W)
    valid = (slots >= 0).expand(EPISODES, 4, STEPS, FRAMES).transpose(1, 2).flatten(0, 1)
    times = slots.double().repeat(EPISODES, 1)[:, None]
    return replace(episodes, images=images, times=times, valid=valid, steps=None)


def train_step(model: MemVLA, batch: TrainingBatch) -> None:
    """Run forward and backward."""
    model.zero_grad()
    model.loss(batch, NOISE_SAMPLES)['total'].backward()


def encode_step(model: MemVLA, batch: TrainingBatch) -> None:
    """Run forward and backward of the encoder alone."""
    model.zero_grad()
    encode = model.encode_clip if batch.steps is None else model.encode_episode
    encode(batch.images, batch.times, batch.valid).embeds.square().sum().backward()


@torch.no_grad()
def sample(model: MemVLA, clips: TrainingBatch, cached: bool) -> None:
    """Sample one chunk, reading the prefix once, or again for every flow step."""
    images = model.encode_clip(clips.images[:1], clips.times[:1], clips.valid[:1])
    inputs = (images, clips.states[:1], clips.state_valid[:1], clips.text_ids[:1])
    prefix, chunk = model.prefix(*inputs), torch.randn(1, 16, 7)
    for step in range(FLOW_STEPS):
        if step and not cached:
            prefix = model.prefix(*inputs)
        chunk = model.denoise(prefix, chunk, torch.full((1, 1), 1 - step / FLOW_STEPS))


def main() -> int:
    """Measure, print, and check the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rounds', type=int, default=7)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, episodes = MemVLA(preset('tiny')), episode_batch()
    clips = clip_batch(episodes)
    runs = {
        'episode': lambda: train_step(model, episodes), 'clip': lambda: train_step(model, clips),
        'episode encoder': lambda: encode_step(model, episodes),
        'clip encoder': lambda: encode_step(model, clips),
        'cached': lambda: sample(model, clips, True),
        'uncached': lambda: sample(model, clips, False)}
    measure(runs, 1)  # warm up
    seconds = measure(runs, rounds)
    targets = EPISODES * STEPS
    for name in ('episode', 'clip'):
        print(f'{name:<10} {targets / median(seconds[name]):6.1f} targets/s')
    print(f"sampling   {1e3 * median(seconds['cached']):6.1f} ms with cached prefix, "
          f"{1e3 * median(seconds['uncached']):.1f} ms without, {FLOW_STEPS} flow steps")
    result = {
        'episode_over_clip': ratio(seconds, 'clip', 'episode'),
        'episode_over_clip_encoder': ratio(seconds, 'clip encoder', 'episode encoder'),
        'uncached_over_cached_sampling': ratio(seconds, 'uncached', 'cached'),
        'episode_targets_per_s': round(targets / median(seconds['episode']), 1)}
    if missed := result['episode_over_clip'] < BAR:
        print(f'missed bar: episode_over_clip {BAR}')
    print(json.dumps({'benchmark': 'training', **result}))
    return int(missed)


if __name__ == '__main__':
    sys.exit(main())
