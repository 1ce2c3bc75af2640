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

"""Whether the high level did what the annotation says, and when."""

from dataclasses import dataclass
from statistics import fmean

from mem_vla_ros.evaluation.annotations import SubtaskSpan
from mem_vla_ros.evaluation.run_trace import RunTrace
from mem_vla_ros.evaluation.text_timeline import plain, subtask_timeline, TextSpan


@dataclass(frozen=True)
class SubtaskAgreement:
    """
    Agreement over the annotated time.

    :param accuracy: Share of the annotated time in which the subtask was the annotated one.
    :param switch_errors: Seconds by which each switch that was made came late (or, negative,
        early).
    :param missed: Annotated switches that were not made.
    :param retries: Subtasks that were begun again after another one, or after they failed.
    :param annotated_retries: The same in the annotation.
    """

    accuracy: float
    switch_errors: tuple[float, ...]
    missed: int
    retries: int
    annotated_retries: int

    @property
    def switch_error_mean_s(self) -> float | None:
        """Return how far the switches are off, early or late; None if none was made [s]."""
        return fmean(abs(error) for error in self.switch_errors) if self.switch_errors else None


def subtask_agreement(
    trace: RunTrace, spans: tuple[SubtaskSpan, ...],
) -> SubtaskAgreement | None:
    """Compare the subtasks of a run with the annotated ones; None without one of them."""
    if not spans or not trace.high_level:
        return None
    timeline = subtask_timeline(trace.high_level, trace.end)
    right = annotated = 0.0
    for span in spans:
        annotated += span.end - span.start
        right += sum(
            part.end - part.start for part in timeline.between(span.start, span.end)
            if part.text == plain(span.text))
    switches = [_switch_error(timeline.spans, spans, index) for index in range(1, len(spans))
                if plain(spans[index].text) != plain(spans[index - 1].text)]
    made = tuple(error for error in switches if error is not None)
    return SubtaskAgreement(
        right / annotated, made, len(switches) - len(made),
        _repeats([span.text for span in timeline.spans if span.text]),
        _repeats([plain(span.text) for span in spans]))


def _switch_error(
    run: tuple[TextSpan, ...], spans: tuple[SubtaskSpan, ...], index: int,
) -> float | None:
    """Return how late the run switched to a span's subtask; None if it did not."""
    earliest = spans[index - 1].start
    latest = spans[index].end
    times = [
        part.start for part in run
        if part.text == plain(spans[index].text) and earliest < part.start < latest]
    if not times:
        return None
    return min((time - spans[index].start for time in times), key=abs)


def _repeats(texts: list[str]) -> int:
    return len(texts) - len(set(texts))
