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

"""Film: an expert's episode as an animated GIF, or as a strip of pictures."""

from pathlib import Path
import textwrap

import numpy as np
from PIL import Image, ImageDraw

from mem_vla_ros.core.types import ImageArray
from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.rollout import run_expert, Step
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.world import World

_CAPTION_LINES, _LINE_HEIGHT = 4, 13


def film_expert(
    task: str, path: str | Path, seed: int = 0, size: int = 160, frames_per_second: int = 5,
    speed: float = 2.0,
) -> Score:
    """
    Write a GIF of the expert on one seed and return its score.

    :param size: Side of each camera's image [px].
    :param speed: How much faster than the simulation it plays.
    """
    world, expert = World(task, size, seed), Expert(task)
    try:
        every = max(1, round(10 * speed / frames_per_second))
        frames = []
        for index, step in enumerate(run_expert(world, expert, seed=seed)):
            if index % every == 0:
                frames.append(_frame(list(world.render().values()), step))
        score = world.score()
    finally:
        world.close()
    # One palette for all frames keeps the file small and the colours steady.
    palette = frames[len(frames) // 2].quantize(128, method=Image.Quantize.FASTOCTREE)
    images = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    images[0].save(path, save_all=True, append_images=images[1:], loop=0, optimize=True,
                   duration=round(1000 / frames_per_second))
    return score


def picture_expert(
    task: str, path: str | Path, seed: int = 0, size: int = 128, columns: int = 7,
    cameras: tuple[str, ...] = ('base', 'left_wrist', 'rear'),
) -> Score:
    """Write a strip of pictures of the expert on one seed, one row per camera."""
    world, expert = World(task, size, seed, cameras), Expert(task)
    try:
        frames = [np.concatenate(list(world.render().values()), axis=0)
                  for _ in run_expert(world, expert, seed=seed)]
        score = world.score()
    finally:
        world.close()
    chosen = np.linspace(0, len(frames) - 1, columns).astype(int)
    strip = np.concatenate([frames[index] for index in chosen], axis=1)
    Image.fromarray(strip).quantize(
        192, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(path, optimize=True)
    return score


def _frame(views: list[ImageArray], step: Step) -> Image.Image:
    row = np.concatenate(views, axis=1)
    height, width = row.shape[:2]
    image = Image.new('RGB', (width, height + _CAPTION_LINES * _LINE_HEIGHT + 4), 'white')
    image.paste(Image.fromarray(row), (0, 0))
    text = textwrap.fill(f'{step.time:5.1f} s   {step.subtask}', width // 6)
    memory = textwrap.fill(f'memory: {step.memory}', width // 6)
    ImageDraw.Draw(image).multiline_text(
        (4, height + 2), '\n'.join(f'{text}\n{memory}'.splitlines()[:_CAPTION_LINES]),
        fill='black', spacing=1)
    return image
