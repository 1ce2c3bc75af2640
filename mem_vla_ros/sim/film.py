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

"""Film: an episode as an animated GIF; an expert's also as a strip of pictures."""

from pathlib import Path
import textwrap

import numpy as np
from PIL import Image, ImageDraw

from mem_vla_ros.core.types import ImageArray
from mem_vla_ros.sim.experts.expert import Expert
from mem_vla_ros.sim.rollout import DT, run_expert
from mem_vla_ros.sim.score import Score
from mem_vla_ros.sim.world import World

_CAPTION_LINES, _LINE_HEIGHT = 4, 13


class Film:
    """
    An animated GIF of an episode: all cameras, and below them subtask and memory.

    :param size: Side of each camera's image [px].
    :param speed: How much faster than the simulation it plays.
    """

    def __init__(self, size: int = 160, frames_per_second: int = 5, speed: float = 2.0) -> None:
        self._size = size
        self._frames_per_second = frames_per_second
        self._every = max(1, round(speed / DT / frames_per_second))
        self._steps = 0
        self._frames: list[Image.Image] = []

    def watch(self, world: World, subtask: str, memory: str) -> None:
        """Look at the world; to be called at every control step."""
        if self._steps % self._every == 0:
            views = list(world.render(self._size).values())
            self._frames.append(_frame(views, world.time, subtask, memory))
        self._steps += 1

    def save(self, path: str | Path) -> None:
        """Write the film."""
        # One palette for all frames keeps the file small and the colours steady.
        palette = self._frames[len(self._frames) // 2].quantize(
            128, method=Image.Quantize.FASTOCTREE)
        first, *others = (
            frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self._frames)
        first.save(path, save_all=True, append_images=others, loop=0, optimize=True,
                   duration=round(1000 / self._frames_per_second))


def film_expert(task: str, path: str | Path, film: Film, seed: int = 0) -> Score:
    """Write a film of the expert on one seed and return its score."""
    world, expert = World(task, seed=seed), Expert(task)
    try:
        for step in run_expert(world, expert, seed=seed):
            film.watch(world, step.subtask, step.memory)
        score = world.score()
    finally:
        world.close()
    film.save(path)
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


def _frame(
    views: list[ImageArray], time: float, subtask: str, memory: str,
) -> Image.Image:
    row = np.concatenate(views, axis=1)
    height, width = row.shape[:2]
    image = Image.new('RGB', (width, height + _CAPTION_LINES * _LINE_HEIGHT + 4), 'white')
    image.paste(Image.fromarray(row), (0, 0))
    text = textwrap.fill(f'{time:5.1f} s   {subtask}', width // 6)
    memory = textwrap.fill(f'memory: {memory}', width // 6)
    ImageDraw.Draw(image).multiline_text(
        (4, height + 2), '\n'.join(f'{text}\n{memory}'.splitlines()[:_CAPTION_LINES]),
        fill='black', spacing=1)
    return image
