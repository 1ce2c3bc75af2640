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

"""One bag evaluated with one variant: numbers, plots' data, and everything that was wrong."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mem_vla_ros.core.errors import MemVlaError
from mem_vla_ros.core.robot import Robot
from mem_vla_ros.evaluation.bag_evaluation import BagEvaluation
from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_storage import BagStorage
from mem_vla_ros.evaluation.episode_metrics import episode_metrics
from mem_vla_ros.evaluation.input_quality import input_quality
from mem_vla_ros.evaluation.recorded_episode import read_episodes, RecordedEpisode
from mem_vla_ros.evaluation.replay_settings import ReplaySettings
from mem_vla_ros.evaluation.run_trace import RunTrace
from mem_vla_ros.evaluation.variant import make_policies, Variant

Progress = Callable[[float], None]


@dataclass
class BagResult:
    """
    What came of one bag and one variant.

    :param error: Why nothing was evaluated; empty if something was.
    :param damage: What is wrong with the files: the rest of the bag is not in the numbers.
    :param warnings: What is odd about the data, but is in the numbers.
    :param episodes: ``start_s``, ``duration_s``, ``goal``, ``values``, ``details``, ``skipped``
        and ``refused`` of each episode.
    :param durations_s: How long this machine took for each answer, by level; not a result.
    """

    bag: str
    variant: str
    error: str = ''
    damage: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, dict[str, float]] = field(default_factory=dict)
    episodes: list[dict[str, Any]] = field(default_factory=list)
    durations_s: dict[str, list[float]] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Return whether the whole bag is in the numbers."""
        return not self.error and not self.damage

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, without what differs from run to run."""
        document = asdict(self)
        del document['durations_s']
        return document


def evaluate_bag(
    path: Path, robot: Robot, variant: Variant, settings: ReplaySettings,
    remaps: Mapping[str, str] | None = None, progress: Progress = lambda seconds: None,
) -> BagResult:
    """
    Evaluate one bag with one variant; whatever is wrong with the bag is in the result.

    :param progress: Called with the bag time that has passed [s].
    """
    result = BagResult(bag=path.name, variant=variant.name)
    try:
        with BagStorage(path) as storage:
            result.damage = storage.damage
            _evaluate(BagReader(storage, robot, remaps), variant, settings, result, progress)
    except MemVlaError as error:
        result.error = str(error)
        result.episodes = []
    return result


def _evaluate(
    reader: BagReader, variant: Variant, settings: ReplaySettings, result: BagResult,
    progress: Progress,
) -> None:
    result.missing = dict(reader.topics.missing)
    result.warnings += reader.notes
    quality, frame_stamps = input_quality(reader)
    result.warnings += quality.warnings
    result.inputs = quality.to_dict()
    for index, episode in enumerate(read_episodes(reader)):
        trace, refused = _answers(reader, episode, variant, settings, result, progress)
        metrics = episode_metrics(episode, trace, reader.robot.limits, frame_stamps)
        result.episodes.append({
            'name': f'{result.bag}#{index}', 'start_s': episode.trace.start,
            'duration_s': episode.trace.duration, 'goal': episode.goal,
            'answers': {'chunks': len(trace.chunks), 'decisions': len(trace.high_level)},
            'refused': refused, **asdict(metrics)})
    result.warnings += [
        f'{part}: {count} messages rejected, the first because: {reader.reasons[part]}'
        for part, count in sorted(reader.rejected.items())]


def _answers(
    reader: BagReader, episode: RecordedEpisode, variant: Variant, settings: ReplaySettings,
    result: BagResult, progress: Progress,
) -> tuple[RunTrace, dict[str, int]]:
    """Return the trace to judge, replayed if need be, and the inputs that were refused."""
    if variant.is_recorded:
        progress(episode.trace.duration)
        return episode.trace, {}
    policies = make_policies(
        variant, reader.robot, settings.frames, settings.stride, settings.chunking)
    evaluation = BagEvaluation(reader, episode, variant, policies, settings)
    reached = episode.trace.start
    for time in evaluation.run():
        progress(max(0.0, time - reached))
        reached = max(reached, time)
    for level, durations in evaluation.durations_s.items():
        result.durations_s.setdefault(level, []).extend(durations)
    return evaluation.trace, dict(sorted(evaluation.refused.items()))
