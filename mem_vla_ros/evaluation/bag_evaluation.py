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
Offline replay: the nodes' own library over one episode of a bag, as fast as the machine can.

The loops are the ones that the nodes run. Time is the bag's: each input is taken in when it was
recorded, and an answer is there after a fixed latency. Nothing depends on the speed of the
machine, so two replays are equal.
"""

from collections import Counter
from collections.abc import Iterator
import itertools
import json
import math

from mem_vla_ros.core.errors import TextRejected
from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.core.text import clean_line, MAX_GOAL_CHARS, MAX_SUBTASK_CHARS
from mem_vla_ros.evaluation.bag_errors import BagError
from mem_vla_ros.evaluation.bag_events import Event, FrameEvent, JointEvent, TextEvent
from mem_vla_ros.evaluation.bag_reader import BagReader
from mem_vla_ros.evaluation.bag_topics import CAMERA, JOINTS
from mem_vla_ros.evaluation.recorded_episode import RecordedEpisode
from mem_vla_ros.evaluation.replay_settings import ReplaySettings
from mem_vla_ros.evaluation.run_trace import ChunkAnswer, RunTrace
from mem_vla_ros.evaluation.stopwatch_policies import StopwatchHighLevel, StopwatchLowLevel
from mem_vla_ros.evaluation.variant import Variant, VariantPolicies
from mem_vla_ros.execution.chunking import RealTimeChunking
from mem_vla_ros.execution.history import History
from mem_vla_ros.policies.guarded_policy import GuardedPolicy
from mem_vla_ros.policies.high_level_loop import HighLevelLoop
from mem_vla_ros.policies.high_level_settings import HighLevelSettings
from mem_vla_ros.policies.low_level_loop import LowLevelLoop


class BagEvaluation:
    """
    Runs the policies of one variant over one episode.

    ``trace`` holds their answers, ``refused`` counts inputs that the history did not take, and
    ``durations_s`` tells how long this machine took for each answer.

    :raises BagError: if the bag lacks inputs that the policies need.
    """

    def __init__(
        self, reader: BagReader, episode: RecordedEpisode, variant: Variant,
        policies: VariantPolicies, settings: ReplaySettings,
    ) -> None:
        _check_inputs(reader, policies, variant)
        self._reader = reader
        self._episode = episode
        self._policies = policies
        self._settings = settings
        self.refused: Counter[str] = Counter()
        self.trace = RunTrace(variant.name, episode.trace.start, episode.trace.end)
        self._low_policy = StopwatchLowLevel(policies.low_level)
        self._high_policy = (
            StopwatchHighLevel(policies.high_level) if policies.high_level else None)
        self._subtasks = _given_subtasks(episode) if self._high_policy is None else []
        self._history: History | None = None
        self._low_level = self._make_low_level()
        self._high_level = self._make_high_level(variant)
        self._low_level_free = self._high_level_free = -math.inf
        self._pending: HighLevelState | None = None
        self._waits_for_oracle = policies.needs_oracle

    @property
    def durations_s(self) -> dict[str, list[float]]:
        """Return how long this machine took for each answer, by level [s]."""
        found = {'low_level': self._low_policy.durations_s}
        if self._high_policy is not None:
            found['high_level'] = self._high_policy.durations_s
        return found

    def run(self) -> Iterator[float]:
        """Replay the episode and yield the time of every event, for whoever shows progress."""
        self._begin()
        for event in self._reader.events(self._parts()):
            if self.trace.start <= event.time <= self.trace.end:
                self._take(event)
                self._answer(event.time)
                yield event.time

    def _parts(self) -> list[str]:
        return [part for part in self._reader.topics.topics if (
            part.startswith(CAMERA) or part in (JOINTS, 'goal')
            or (part == 'oracle' and self._policies.needs_oracle))]

    def _begin(self) -> None:
        goal = self._episode.goal or self._settings.goal or self._reader.storage.custom.get(
            'goal', '')
        self._low_level.set_goal(goal)
        if self._high_level is not None:
            self._settle(self._high_level.start(self.trace.start, goal))

    def _take(self, event: Event) -> None:
        sinks = [self._history, self._low_level] if self._history else [self._low_level]
        fault = None
        for sink in sinks:
            if isinstance(event, FrameEvent):
                fault = sink.add_frame(event.camera, event.stamp, event.image, event.time)
            elif isinstance(event, JointEvent):
                fault = sink.add_joints(event.stamp, event.names, event.positions, event.time)
        if isinstance(event, TextEvent):
            self._take_text(event)
        if fault is not None:
            self.refused[f'{fault.name} {fault.source}'.strip()] += 1

    def _take_text(self, event: TextEvent) -> None:
        if event.part == 'oracle':
            oracle = json.loads(event.text)
            self._waits_for_oracle = False
            for policy in (self._policies.low_level, self._policies.high_level):
                policy.set_oracle(oracle)  # type: ignore[union-attr]
        else:
            try:
                goal = clean_line(event.text, 'goal', MAX_GOAL_CHARS)
            except TextRejected:
                self.refused['rejected goal'] += 1
                return
            self._low_level.set_goal(goal)
            if self._high_level is not None:
                self._settle(self._high_level.set_goal(goal, event.time))

    def _answer(self, now: float) -> None:
        if self._waits_for_oracle:
            return
        while self._subtasks and self._subtasks[0][0] <= now:
            self._low_level.set_subtask(self._subtasks.pop(0)[1])
        self._decide(now)
        if now < self._low_level_free:
            return
        there = now + self._settings.low_level_latency_s
        step = self._low_level.step(now, lambda: there)
        if step is None:
            return
        self._low_level_free = there
        self.trace.low_level.append(step.state)
        if step.chunk is not None:
            self.trace.chunks.append(ChunkAnswer(there, step.chunk))

    def _decide(self, now: float) -> None:
        if self._high_level is None or self._history is None or now < self._high_level_free:
            return
        if self._pending is not None:
            self._settle(self._pending)
            self._pending = None
        observation = self._history.observe(now) if self._high_level.due(now) else None
        if observation is None:
            return
        ticks = itertools.count(0.0, self._settings.high_level_latency_s)
        self._pending = self._high_level.step(observation, now, lambda: next(ticks))
        self._high_level_free = now + self._settings.high_level_latency_s

    def _settle(self, state: HighLevelState) -> None:
        """Let the rest of the run see a state of the high level."""
        self.trace.high_level.append(state)
        self._low_level.set_episode(state.episode)
        self._low_level.set_subtask(state.subtask)

    def _make_low_level(self) -> LowLevelLoop:
        settings, policy = self._settings, self._low_policy
        return LowLevelLoop(
            GuardedPolicy(policy, self._reader.robot.joint_names), self._make_history(policy),
            RealTimeChunking(
                settings.chunking, policy.dt, policy.horizon,
                min(settings.execution_horizon, policy.horizon - 1)),
            max_chunk_age=max(1.0, 2 * settings.low_level_latency_s),
            needs_subtask=bool(self._high_policy or self._subtasks), session='replay',
            steady=lambda: 0.0)

    def _make_history(self, policy: StopwatchLowLevel | StopwatchHighLevel) -> History:
        robot, side = self._reader.robot, policy.image_size or self._settings.image_size
        return History(
            robot.camera_names, robot.joint_names, policy.frames, policy.stride,
            image_size=(side, side) if side else None, max_age=self._settings.max_input_age_s,
            max_lag=self._settings.max_input_lag_s)

    def _make_high_level(self, variant: Variant) -> HighLevelLoop | None:
        if self._high_policy is None:
            return None
        self._history = self._make_history(self._high_policy)
        return HighLevelLoop(
            self._high_policy, variant.backend,
            HighLevelSettings(
                memory_mode=variant.memory_mode, period_s=self._settings.period_s,
                retry_keeps_memory=False))


def _check_inputs(reader: BagReader, policies: VariantPolicies, variant: Variant) -> None:
    missing = list(reader.topics.missing_inputs)
    if policies.needs_oracle and 'oracle' not in reader.topics.topics:
        missing.append("no topic 'oracle', which only the simulator publishes")
    if missing:
        raise BagError(
            f'{variant.name!r} cannot be replayed on {reader.storage.path.name!r}: '
            f'{"; ".join(missing)}. The recorded answers can still be evaluated, by the variant '
            f"'recorded'. Topics in the bag: {sorted(reader.storage.topics)}.")


def _given_subtasks(episode: RecordedEpisode) -> list[tuple[float, str]]:
    """Return time and subtask, recorded or else annotated, for a low level on its own."""
    recorded = [
        (event.time, clean_line(event.text[:MAX_SUBTASK_CHARS], 'subtask', MAX_SUBTASK_CHARS))
        for event in episode.texts if event.part == 'subtask' and event.text.strip()]
    return recorded or [(span.start, span.text) for span in episode.annotations.subtasks]
