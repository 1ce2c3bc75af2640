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
What the policies of this project ask of a checkpoint, for one robot or several at a time.

Robots are numbered from 0. Each has its own video memory, and its answers do not depend on the
others that are answered with it, but for rounding.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from mem_vla_ros.core.types import Observation
from mem_vla_ros.models.checkpoint import Checkpoint
from mem_vla_ros.models.prefix import ImageTokens, Prefix
from mem_vla_ros.models.text_tokenizer import encode, pad_ids
from mem_vla_ros.policies.frame_stream import stream_of
from mem_vla_ros.policies.observation_tensors import image_tensors


@dataclass(frozen=True)
class Question:
    """What a robot sees, and the prompt beside it."""

    observation: Observation
    prompt: str


@dataclass(frozen=True)
class ChunkQuestion(Question):
    """
    A question for a chunk.

    :param noise: Where sampling starts, (1, H, A).
    :param running: How the sampler is told about the running chunk; only for a robot alone.
    """

    noise: Tensor
    running: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TextQuestion(Question):
    """
    A question for text.

    :param draft: Token ids of a likely answer.
    """

    max_tokens: int
    draft: list[int]


class RobotModel(Protocol):
    """The model of one robot, as its policy sees it."""

    def reset(self) -> None:
        """Forget the episode."""
        ...

    def sample(self, question: ChunkQuestion) -> Tensor:
        """Return a chunk, normalised, (1, H, A)."""
        ...

    def write(self, question: TextQuestion) -> list[int]:
        """Return the token ids of an answer."""
        ...


class RobotsModel:
    """A checkpoint that answers several robots in one batch."""

    def __init__(self, checkpoint: Checkpoint, robots: int = 1) -> None:
        self._checkpoint = checkpoint
        self._stream = stream_of(checkpoint.model, robots)

    def reset(self, robot: int) -> None:
        """Forget the episode of a robot."""
        if self._stream is not None:
            self._stream.reset(robot)

    @torch.no_grad()
    def sample(self, questions: Mapping[int, ChunkQuestion]) -> dict[int, Tensor]:
        """Return a chunk for each robot that asks, normalised, (1, H, A)."""
        asked = list(questions.values())
        assert len(asked) == 1 or not any(question.running for question in asked)
        chunks = self._checkpoint.model.sample_actions(
            self._read(questions), noise=torch.cat([question.noise for question in asked]),
            **asked[0].running)
        return {robot: chunks[row:row + 1] for row, robot in enumerate(questions)}

    @torch.no_grad()
    def write(self, questions: Mapping[int, TextQuestion]) -> dict[int, list[int]]:
        """Return the token ids of an answer for each robot that asks."""
        asked = list(questions.values())
        texts = self._checkpoint.model.generate_text(
            self._read(questions), max(question.max_tokens for question in asked),
            drafts=[question.draft for question in asked])
        return {robot: text[:question.max_tokens]
                for (robot, question), text in zip(questions.items(), texts, strict=True)}

    def _read(self, questions: Mapping[int, Question]) -> Prefix:
        model, scaling = self._checkpoint.model, self._checkpoint.normalisation.state
        seen = {robot: question.observation for robot, question in questions.items()}
        joints = [observation.joints for observation in seen.values()]
        states = torch.from_numpy(np.stack([stack.positions for stack in joints]))  # (B, K, J)
        ids, given = pad_ids([encode(self._checkpoint.tokenizer, question.prompt)
                              for question in questions.values()])
        velocity = np.stack([
            np.zeros(scaling.size) if observation.velocity is None else observation.velocity
            for observation in seen.values()])
        return model.prefix(
            self._image_tokens(seen), scaling.normalise(states, model.config.state_dim),
            torch.from_numpy(np.stack([stack.valid for stack in joints])), ids, given,
            scaling.normalise_rate(torch.from_numpy(velocity), model.config.state_dim))

    def _image_tokens(self, observations: Mapping[int, Observation]) -> ImageTokens:
        if self._stream is not None:
            return self._stream.tokens(observations)
        model = self._checkpoint.model
        clips = [image_tensors(observation, model.config.cameras)
                 for observation in observations.values()]
        images, stamps, valid = (torch.cat(parts) for parts in zip(*clips, strict=True))
        return model.encode_clip(images, stamps, valid)


class SingleRobotModel:
    """The model of a robot that has it for itself."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._model = RobotsModel(checkpoint)

    def reset(self) -> None:
        """Forget the episode."""
        self._model.reset(0)

    def sample(self, question: ChunkQuestion) -> Tensor:
        """Return a chunk, normalised, (1, H, A)."""
        return self._model.sample({0: question})[0]

    def write(self, question: TextQuestion) -> list[int]:
        """Return the token ids of an answer."""
        return self._model.write({0: question})[0]
