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

"""All metrics of one episode, and why some could not be computed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from mem_vla_ros.core.limits import JointLimits
from mem_vla_ros.core.types import FloatArray
from mem_vla_ros.evaluation.metrics.action_error import action_error
from mem_vla_ros.evaluation.metrics.chunk_coverage import chunk_coverage
from mem_vla_ros.evaluation.metrics.chunk_seams import chunk_seams
from mem_vla_ros.evaluation.metrics.history_parity import history_parity
from mem_vla_ros.evaluation.metrics.history_spacing import history_spacing
from mem_vla_ros.evaluation.metrics.latency import recorded_latency
from mem_vla_ros.evaluation.metrics.memory_faithfulness import memory_faithfulness
from mem_vla_ros.evaluation.metrics.subtask_agreement import subtask_agreement
from mem_vla_ros.evaluation.recorded_episode import RecordedEpisode
from mem_vla_ros.evaluation.reference import Reference
from mem_vla_ros.evaluation.run_trace import RunTrace
from mem_vla_ros.evaluation.text_timeline import memory_timeline, subtask_timeline


@dataclass
class EpisodeMetrics:
    """
    Numbers of one episode.

    :param values: Name in ``METRICS`` -> value.
    :param details: What the plots show.
    :param skipped: Group of metrics -> why it has no values.
    """

    values: dict[str, float] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def add(self, group: str, result: Any, names: tuple[str, ...], why_not: str) -> None:
        """Take some fields of a result, or note why there is none."""
        if result is None:
            self.skipped[group] = why_not
            return
        for name in names:
            value = getattr(result, name)
            if value is not None:
                self.values[f'{group}.{name}'] = float(value)


def episode_metrics(
    episode: RecordedEpisode, trace: RunTrace, limits: JointLimits,
    frame_stamps: Mapping[str, list[float]],
) -> EpisodeMetrics:
    """
    Compute every metric that the data allows.

    :param trace: The recorded answers of the episode, or those of a replay.
    :param frame_stamps: Camera -> stamps of its frames in the bag; for recorded answers only.
    """
    metrics = EpisodeMetrics()
    _add_actions(metrics, episode, trace, limits)
    metrics.add(
        'coverage', chunk_coverage(trace), ('uncovered', 'longest_gap_s', 'refused'),
        'no chunks and no low-level states')
    _add_history(metrics, trace, frame_stamps)
    for level, latency in recorded_latency(trace).items():
        if trace.source == 'recorded':
            for name in ('p50_s', 'p95_s', 'max_s'):
                metrics.values[f'latency.{level}_{name}'] = getattr(latency, name)
    _add_high_level(metrics, episode, trace)
    return metrics


def _add_actions(
    metrics: EpisodeMetrics, episode: RecordedEpisode, trace: RunTrace, limits: JointLimits,
) -> None:
    reference = _reference(episode)
    error = action_error(trace, reference, limits) if reference else None
    metrics.add(
        'action', error, ('mae', 'rmse'),
        'no chunks' if not trace.chunks else
        'neither commands nor joint states to compare with' if not reference else
        'no chunk falls into the recorded motion')
    if error is not None and reference is not None:
        metrics.details['action'] = {
            'reference': reference.source, 'joints': list(limits.names),
            'mae': error.per_joint.tolist(), 'rmse': error.per_joint_rmse.tolist(),
            'per_step': [None if np.isnan(x) else float(x) for x in error.per_step]}
        metrics.details['motion'] = _motion(trace, reference, limits)
    seams = chunk_seams(trace, limits)
    metrics.add('seams', seams, ('jump_mean', 'jump_max', 'jerk_rms'),
                'less than two chunks that follow each other')
    if seams is not None:
        metrics.details['seam_jumps'] = seams.jumps.tolist()


def _add_history(
    metrics: EpisodeMetrics, trace: RunTrace, frame_stamps: Mapping[str, list[float]],
) -> None:
    metrics.add(
        'history', history_spacing(trace),
        ('error_mean_s', 'error_max_s', 'padded', 'padded_late'), 'no low-level states')
    if trace.source == 'recorded':
        metrics.add(
            'parity', history_parity(trace, frame_stamps), ('equal', 'past_equal'),
            'no low-level states that tell their frames, or no images')


def _add_high_level(
    metrics: EpisodeMetrics, episode: RecordedEpisode, trace: RunTrace,
) -> None:
    agreement = subtask_agreement(trace, episode.annotations.subtasks)
    why_not = (
        'no decisions of a high level' if not trace.high_level else 'no subtask annotations')
    metrics.add('subtask', agreement, ('accuracy', 'missed', 'retries', 'annotated_retries'),
                why_not)
    if agreement is not None and agreement.switch_error_mean_s is not None:
        metrics.values['subtask.switch_error_s'] = agreement.switch_error_mean_s
    memory = memory_faithfulness(trace, episode.annotations.facts)
    names = ('kept', 'dropped_early', 'invented') if episode.annotations.facts else ()
    metrics.add('memory', memory, (*names, 'chars', 'naive_chars'), why_not)
    if memory is not None and not names:
        metrics.skipped['memory facts'] = 'no fact annotations'
    metrics.details['subtasks'] = [
        list(span) for span in subtask_timeline(trace.high_level, trace.end).spans]
    metrics.details['memories'] = [
        list(span) for span in memory_timeline(trace.high_level, trace.end).spans]
    metrics.details['annotated'] = [asdict(span) for span in episode.annotations.subtasks]


def _reference(episode: RecordedEpisode) -> Reference | None:
    """Return the commands if there are any, as they are what a chunk is about."""
    return episode.references.get('command') or episode.references.get('joint_states')


def _motion(trace: RunTrace, reference: Reference, limits: JointLimits) -> dict[str, Any]:
    """Return the reference and the chunks thinned out for a plot."""
    every = max(1, len(reference.times) // 400)
    some = trace.chunks[::max(1, len(trace.chunks) // 40)]
    return {
        'times': _rounded(reference.times[::every]),
        'positions': _rounded(reference.positions[::every].T),
        'chunks': [
            {'times': _rounded(answer.chunk.times),
             'positions': _rounded(answer.chunk.positions.T)}
            for answer in some if answer.chunk.joint_names == limits.names]}


def _rounded(values: FloatArray) -> list[Any]:
    """Return what a plot needs of some numbers, which is less than all their digits."""
    return np.round(values, 4).tolist()
