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

"""Whether the memory keeps what it should, for as long as it should, and invents nothing."""

from dataclasses import dataclass
import math
from statistics import fmean

from mem_vla_ros.evaluation.annotations import Fact
from mem_vla_ros.evaluation.run_trace import RunTrace
from mem_vla_ros.evaluation.text_timeline import memory_timeline, plain, TextTimeline
from mem_vla_ros.memory.naive_memory import NaiveMemory

# A memory is rewritten about once a second; a fact is expected in it after this long.
GRACE_S = 2.0
NAIVE_MAX_CHARS = 2000


@dataclass(frozen=True)
class MemoryFaithfulness:
    """
    Facts of the annotation against the memories of a run.

    :param kept: Mean over the facts of the share of their time that the memory said them; None
        without facts that were true for longer than the grace.
    :param dropped_early: Facts that the memory said and then lost while they still mattered.
    :param invented: Facts that the memory said before they were true, or that never were.
    :param chars: Mean length of the memory over time.
    :param naive_chars: Mean length of what naive memory would have been.
    """

    facts: int
    kept: float | None
    dropped_early: int
    invented: int
    chars: float
    naive_chars: float


def memory_faithfulness(trace: RunTrace, facts: tuple[Fact, ...]) -> MemoryFaithfulness | None:
    """Compare the memories of a run with the facts; None if the run has no memories."""
    timeline = memory_timeline(trace.high_level, trace.end)
    if not timeline.spans:
        return None
    shares = [_kept_share(fact, timeline, trace.end) for fact in facts]
    known = [share for share in shares if share is not None]
    return MemoryFaithfulness(
        facts=len(facts), kept=fmean(known) if known else None,
        dropped_early=sum(_dropped_early(fact, timeline, trace.end) for fact in facts),
        invented=sum(_invented(fact, timeline) for fact in facts),
        chars=_mean_length(timeline), naive_chars=_mean_length(_naive_timeline(trace)))


def says(memory: str, fact: Fact) -> bool:
    """Return whether a memory says a fact."""
    return any(plain(phrase) in memory for phrase in fact.match)


def _kept_share(fact: Fact, timeline: TextTimeline, end: float) -> float | None:
    start, stop = fact.known_from + GRACE_S, min(fact.until, end)
    if not start < stop:
        return None
    said = sum(
        span.end - span.start for span in timeline.between(start, stop) if says(span.text, fact))
    return said / (stop - start)


def _dropped_early(fact: Fact, timeline: TextTimeline, end: float) -> bool:
    stop = min(fact.until, end)
    spans = list(timeline.between(fact.known_from, stop)) if fact.known_from < stop else []
    return any(says(span.text, fact) for span in spans) and not says(spans[-1].text, fact)


def _invented(fact: Fact, timeline: TextTimeline) -> bool:
    before = fact.known_from if math.isinf(fact.known_from) else fact.known_from - GRACE_S
    return any(says(span.text, fact) for span in timeline.between(-math.inf, before))


def _naive_timeline(trace: RunTrace) -> TextTimeline:
    naive = NaiveMemory(NAIVE_MAX_CHARS)
    changes, memory, last = [], '', ''
    for state in trace.high_level:
        if last and state.subtask != last:
            memory = naive.append(memory, last)
        last = state.subtask
        changes.append((state.stamp + state.latency_s, memory))
    return TextTimeline(changes, trace.end)


def _mean_length(timeline: TextTimeline) -> float:
    total = sum(span.end - span.start for span in timeline.spans)
    weighted = sum(len(span.text) * (span.end - span.start) for span in timeline.spans)
    return weighted / total if total else 0.0
