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

"""Every metric by name: what it is called, its unit, and which way is better."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """
    How a metric is shown.

    :param better: ``lower``, ``higher``, or empty if it is only told.
    """

    label: str
    unit: str = ''
    better: str = 'lower'


METRICS = {
    'action.mae': Metric('action error, mean absolute', 'of range'),
    'action.rmse': Metric('action error, root mean square', 'of range'),
    'seams.jump_mean': Metric('chunk seam, mean jump', 'of range'),
    'seams.jump_max': Metric('chunk seam, largest jump', 'of range'),
    'seams.jerk_rms': Metric('jerk of the played chunks', '1/s^3'),
    'coverage.uncovered': Metric('time without a valid chunk', 'share'),
    'coverage.longest_gap_s': Metric('longest time without a chunk', 's'),
    'coverage.refused': Metric('inferences without a chunk', 'count'),
    'history.error_mean_s': Metric('frame spacing error, mean', 's'),
    'history.error_max_s': Metric('frame spacing error, largest', 's'),
    'history.padded': Metric('padded frame slots', 'share', ''),
    'history.padded_late': Metric('padded slots after the start', 'share'),
    'parity.equal': Metric('frames as chosen from the bag', 'share', 'higher'),
    'parity.past_equal': Metric('past frames as chosen from the bag', 'share', 'higher'),
    'latency.low_level_p50_s': Metric('low level latency, median', 's'),
    'latency.low_level_p95_s': Metric('low level latency, 95th percentile', 's'),
    'latency.low_level_max_s': Metric('low level latency, largest', 's'),
    'latency.high_level_p50_s': Metric('high level latency, median', 's'),
    'latency.high_level_p95_s': Metric('high level latency, 95th percentile', 's'),
    'latency.high_level_max_s': Metric('high level latency, largest', 's'),
    'subtask.accuracy': Metric('subtask as annotated', 'share of time', 'higher'),
    'subtask.switch_error_s': Metric('switch timing error', 's'),
    'subtask.missed': Metric('annotated switches missed', 'count'),
    'subtask.retries': Metric('subtasks begun again', 'count', ''),
    'subtask.annotated_retries': Metric('subtasks begun again, annotated', 'count', ''),
    'memory.kept': Metric('facts kept', 'share of time', 'higher'),
    'memory.dropped_early': Metric('facts dropped too early', 'count'),
    'memory.invented': Metric('facts invented', 'count'),
    'memory.chars': Metric('memory length, mean', 'characters', ''),
    'memory.naive_chars': Metric('naive memory length, mean', 'characters', ''),
}
