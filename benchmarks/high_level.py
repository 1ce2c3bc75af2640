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
Cost of a high-level step and length of its prompt, over a kitchen episode of eight hours.

The episode runs through the real loop, prompt and answer format at 1 Hz in simulated time, once
with the language memory (written as the rule-based labels say) and once with the naive one. Steps
of some minutes are then timed on a small Gemma 3 of random weights, all of a step: seeing four
camera images, reading the prompt with their 256 tokens each, writing the answer token by token.
Seeing takes 1.6 times the operations of reading; in Gemma 3 4B it is 2.1 times (FlopCounterMode).
`--without-seeing` leaves it out, so that the language model is alone. Image tokens are read like
words: the mask that transformers builds for them takes as long for a small model as for a large
one, and would be a quarter of a step here.

Steps are spread evenly over their minute, so that those that rewrite the memory, about one in ten,
have their share. Times are CPU seconds of one thread. Every round times the first step of all
minutes, then the second, and so on. A step's time is the shortest of its rounds, because other
processes can only add to it; a minute's cost is the median over its steps, its mean cost the mean.
The ratios are those of two minutes' costs. The last line is one JSON object.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
import json
from pathlib import Path
import re
from statistics import fmean, median
import time
import zlib

import numpy as np
import torch
from transformers import Gemma3Config, Gemma3ForConditionalGeneration

from mem_vla_ros.core.types import JointStack, Observation
from mem_vla_ros.memory.memory_budget import MemoryBudget
from mem_vla_ros.policies.answer_format import AnswerFormat
from mem_vla_ros.policies.chat_model import ChatMessage
from mem_vla_ros.policies.high_level_loop import HighLevelLoop
from mem_vla_ros.policies.high_level_prompt import load_prompt
from mem_vla_ros.policies.high_level_settings import HighLevelSettings
from mem_vla_ros.policies.prompted_high_level import PromptedHighLevel
from mem_vla_ros.training.labels.annotated_episode import AnnotatedEpisode, LabelRecord
from mem_vla_ros.training.labels.kitchen_episode import make_kitchen_episode
from mem_vla_ros.training.labels.label_replay_policy import LabelReplayPolicy
from mem_vla_ros.training.labels.labeller import Labeller

ROOT = Path(__file__).parents[1]
FIGURE = ROOT / 'docs' / 'figures' / 'high_level_cost.png'
MINUTES = (1, 5, 15, 480)
MODES = ('language', 'naive')
IMAGES = 4
IMAGE_SIDE = 112
TOKENS_PER_IMAGE = 256
WORDS = 4095
IMAGE_TOKEN = WORDS
_PIECES = re.compile(r'\w{1,6}|[^\w\s]')


@dataclass
class Minute:
    """Steps of one minute in one mode: prompt and answer tokens, and CPU times per step."""

    mode: str
    number: int
    steps: list[tuple[list[int], list[int]]] = field(default_factory=list)
    times: list[list[float]] = field(default_factory=list)

    @property
    def prompt_tokens(self) -> float:
        """Return the median length of a prompt, images included."""
        return median(len(prompt) for prompt, _ in self.steps)

    @property
    def cost(self) -> float:
        """Return the median CPU time of a step [s]."""
        return median(min(times) for times in self.times)

    @property
    def mean_cost(self) -> float:
        """Return the mean CPU time of a step, rewriting the memory included [s]."""
        return fmean(min(times) for times in self.times)


class ScriptedChat:
    """A chat model that answers what the labels say, and keeps the last question and answer."""

    def __init__(self, records: Sequence[LabelRecord], writes_memory: bool) -> None:
        self._policy = LabelReplayPolicy(records, begin=0.0)
        self._writes_memory = writes_memory
        self.now = 0.0
        self.memory = ''
        self.last: tuple[str, str] = ('', '')

    def complete(self, messages: Sequence[ChatMessage], max_tokens: int) -> str:
        """Answer for the present moment; an unchanged memory is not written out."""
        decision = self._policy.decide(observe(self.now), '', '', '')
        memory = decision.memory if self._writes_memory else self.memory
        answer = AnswerFormat().write(decision.subtask, memory, self.memory)
        self.memory = memory
        self.last = '\n'.join(message.text for message in messages), answer
        return answer


def observe(stamp: float) -> Observation:
    """Return an observation; image tokens are counted when a step is timed."""
    joints = JointStack(np.zeros((1, 1)), np.array([stamp]), np.array([True]))
    return Observation(stamp, {}, joints)


def tokenize(text: str) -> list[int]:
    """Return one id per piece of up to six letters, about as many as a real vocabulary needs."""
    return [zlib.crc32(piece.encode()) % WORDS for piece in _PIECES.findall(text)]


def simulate(
    episode: AnnotatedEpisode, records: list[LabelRecord], mode: str, sampled: int,
) -> list[Minute]:
    """Run the episode and return sampled steps of each minute of interest."""
    chat = ScriptedChat(records, writes_memory=mode == 'language')
    prompt = load_prompt(ROOT / 'config' / 'prompts' / 'high_level.yaml')
    loop = HighLevelLoop(
        PromptedHighLevel(chat, prompt), 'benchmark', HighLevelSettings(memory_mode=mode))
    loop.start(0.0, episode.goal)
    minutes = {number: Minute(mode, number) for number in MINUTES}
    every = 60 // sampled
    for second in range(60 * MINUTES[-1]):
        chat.now = float(second)
        loop.step(observe(chat.now), chat.now, time.monotonic)
        number = second // 60 + 1
        is_sampled = second % 60 % every == 0 and second % 60 // every < sampled
        if number in minutes and is_sampled:
            question, answer = chat.last
            images = [IMAGE_TOKEN] * (IMAGES * TOKENS_PER_IMAGE)
            minutes[number].steps.append((images + tokenize(question), tokenize(answer)))
    return list(minutes.values())


def build_model() -> Gemma3ForConditionalGeneration:
    """Return a small Gemma 3 of random weights, shaped like the one of 4B."""
    torch.manual_seed(0)
    text = {'vocab_size': WORDS + 1, 'hidden_size': 128, 'intermediate_size': 2048,
            'num_hidden_layers': 1, 'num_attention_heads': 1, 'num_key_value_heads': 1,
            'head_dim': 32}
    vision = {'hidden_size': 256, 'intermediate_size': 3072, 'num_hidden_layers': 1,
              'num_attention_heads': 4, 'image_size': IMAGE_SIDE, 'patch_size': 7}
    return Gemma3ForConditionalGeneration(Gemma3Config(
        text_config=text, vision_config=vision, mm_tokens_per_image=TOKENS_PER_IMAGE,
        image_token_index=IMAGE_TOKEN)).eval()


class Stopwatch:
    """
    Times steps on the model.

    :param sees: Whether the camera images are encoded, or only their tokens read.
    """

    def __init__(self, sees: bool) -> None:
        self._model = build_model()
        self._images = torch.rand(IMAGES, 3, IMAGE_SIDE, IMAGE_SIDE) if sees else None

    @torch.inference_mode()
    def time_step(self, prompt: list[int], answer: list[int]) -> float:
        """Return the CPU time of seeing, reading the prompt and writing the answer [s]."""
        started = time.process_time()
        if self._images is not None:
            self._model.model.get_image_features(self._images)
        output = self._model(input_ids=torch.tensor([prompt]), use_cache=True, logits_to_keep=1)
        for token in answer:
            output = self._model(
                input_ids=torch.tensor([[token]]), past_key_values=output.past_key_values,
                use_cache=True)
        return time.process_time() - started


def measure(minutes: list[Minute], rounds: int, sees: bool) -> None:
    """Time every step, all minutes and modes in turn, once a round."""
    stopwatch = Stopwatch(sees)
    for minute in minutes:
        minute.times = [[] for _ in minute.steps]
    stopwatch.time_step(*minutes[0].steps[0])
    for _ in range(rounds):
        for index in range(len(minutes[0].steps)):
            for minute in minutes:
                minute.times[index].append(stopwatch.time_step(*minute.steps[index]))


def plot(minutes: list[Minute]) -> None:
    """Draw both lengths and both costs against the time."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.4), layout='constrained')
    for mode, label in zip(MODES, ('language memory', 'naive memory'), strict=True):
        chosen = [minute for minute in minutes if minute.mode == mode]
        numbers = [minute.number for minute in chosen]
        left.plot(numbers, [minute.prompt_tokens for minute in chosen], 'o-', label=label)
        right.plot(numbers, [1000 * minute.cost for minute in chosen], 'o-', label=label)
    left.set_ylabel('prompt [tokens], images included')
    right.set_ylabel('high-level step [ms CPU]')
    for axes in (left, right):
        axes.set_xscale('log')
        axes.set_xticks(MINUTES, [f'{number}' for number in MINUTES])
        axes.minorticks_off()
        axes.set_xlabel('minute of the episode')
        axes.margins(y=0.15)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    left.legend(loc='lower right')
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURE, dpi=120)


def main() -> None:
    """Simulate, measure, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rounds', type=int, default=2)
    parser.add_argument('--sampled', type=int, default=30, help='steps per minute, at most 60')
    parser.add_argument('--without-seeing', action='store_true', help='time the text alone')
    parser.add_argument('--no-plot', action='store_true')
    args = parser.parse_args()
    torch.set_num_threads(1)
    episode = make_kitchen_episode(duration_s=60.0 * MINUTES[-1])
    records = Labeller(MemoryBudget()).label(episode)
    minutes = [
        minute for mode in MODES for minute in simulate(episode, records, mode, args.sampled)]
    measure(minutes, args.rounds, sees=not args.without_seeing)
    print('mode      minute  prompt tokens  step median [ms]  step mean [ms]')
    for minute in minutes:
        print(f'{minute.mode:9s} {minute.number:6d}  {minute.prompt_tokens:13.0f}  '
              f'{1000 * minute.cost:16.1f}  {1000 * minute.mean_cost:14.1f}')
    if not args.no_plot:
        plot(minutes)
    of = {(minute.mode, minute.number): minute for minute in minutes}
    ours, naive = of['language', 1], of['naive', 1]
    last, quarter = of['language', 480], of['naive', 15]
    print(json.dumps({
        'ours_8h_over_1min': round(last.cost / ours.cost, 3),
        'naive_15min_over_1min': round(quarter.cost / naive.cost, 3),
        'ours_8h_over_1min_mean': round(last.mean_cost / ours.mean_cost, 3),
        'ours_8h_over_1min_prompt': round(last.prompt_tokens / ours.prompt_tokens, 3),
        'naive_15min_over_1min_prompt': round(quarter.prompt_tokens / naive.prompt_tokens, 3),
    }))


if __name__ == '__main__':
    main()
