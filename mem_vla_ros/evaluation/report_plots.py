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

"""The plots of an evaluation report, drawn without a display."""

from collections.abc import Callable
from itertools import cycle
from typing import Any

from matplotlib.figure import Figure
import numpy as np

from mem_vla_ros.evaluation.evaluation_report import EvaluationReport

COLOURS = ('#3366cc', '#dc7633', '#2e8b57', '#8e44ad', '#c0392b', '#7f8c8d')


def make_plots(report: EvaluationReport) -> dict[str, tuple[str, Figure]]:
    """Return file name -> caption and figure, for whatever the report has data for."""
    makers: dict[str, tuple[str, Callable[[EvaluationReport], Figure | None]]] = {
        'action_error_per_step': (
            'Action error by step ahead: how much a policy loses the further it looks. '
            "Mean over joints and chunks, in parts of each joint's range.", _per_step),
        'action_error_per_joint': (
            'Mean absolute action error of each joint [rad or m].', _per_joint),
        'motion': (
            'What the robot did (grey) and what the chunks wanted, first episode.', _motion),
        'seam_jumps': (
            'Jumps where one chunk takes over from another, in parts of the joint range.',
            _seams),
        'subtasks': (
            'Subtasks over the first episode: annotated above, chosen by each variant below.',
            _subtasks),
        'memory_length': (
            'Length of the memory over the first episode [characters].', _memory_length)}
    made = {name: (caption, maker(report)) for name, (caption, maker) in makers.items()}
    return {name: (caption, figure) for name, (caption, figure) in made.items() if figure}


def _details(report: EvaluationReport, key: str) -> dict[str, list[Any]]:
    """Return variant -> that detail of each of its episodes, without empty ones."""
    found = {
        variant: [
            episode['details'][key] for result in report.results if result.variant == variant
            for episode in result.episodes if episode['details'].get(key)]
        for variant in report.variants}
    return {variant: items for variant, items in found.items() if items}


def _figure(height: float = 3.2) -> Figure:
    return Figure(figsize=(9.0, height), layout='constrained')


def _coloured(items: dict[str, list[Any]]) -> list[tuple[str, list[Any], str]]:
    return [(variant, item, colour)
            for (variant, item), colour in zip(items.items(), cycle(COLOURS), strict=False)]


def _per_step(report: EvaluationReport) -> Figure | None:
    details = _details(report, 'action')
    if not details:
        return None
    figure = _figure()
    axes = figure.subplots()
    for variant, episodes, colour in _coloured(details):
        longest = max(len(item['per_step']) for item in episodes)
        curves = np.full((len(episodes), longest), np.nan)
        for row, item in zip(curves, episodes, strict=True):
            row[:len(item['per_step'])] = [
                np.nan if value is None else value for value in item['per_step']]
        known = ~np.all(np.isnan(curves), axis=0)
        steps = np.arange(1, longest + 1)[known]
        axes.plot(steps, np.nanmean(curves[:, known], axis=0), 'o-', ms=3, color=colour,
                  label=variant)
    axes.set(xlabel='step ahead', ylabel='error [part of range]', ylim=(0, None))
    axes.legend()
    return figure


def _per_joint(report: EvaluationReport) -> Figure | None:
    details = _details(report, 'action')
    if not details:
        return None
    figure = _figure()
    axes = figure.subplots()
    width = 0.8 / len(details)
    for index, (variant, episodes, colour) in enumerate(_coloured(details)):
        errors = np.mean([item['mae'] for item in episodes], axis=0)
        places = np.arange(len(errors)) + (index - (len(details) - 1) / 2) * width
        axes.bar(places, errors, width, color=colour, label=variant)
        axes.set_xticks(range(len(errors)), episodes[0]['joints'], rotation=20)
    axes.set(ylabel='error [rad or m]')
    axes.legend()
    return figure


def _motion(report: EvaluationReport) -> Figure | None:
    details = _details(report, 'motion')
    if not details:
        return None
    joints = next(iter(_details(report, 'action').values()))[0]['joints']
    figure = _figure(0.6 + 1.1 * len(joints))
    axes = np.atleast_1d(figure.subplots(len(joints), 1, sharex=True))
    for variant, episodes, colour in _coloured(details):
        motion = episodes[0]
        start = motion['times'][0]
        for joint, axis in enumerate(axes):
            for chunk in motion['chunks']:
                axis.plot(np.subtract(chunk['times'], start), chunk['positions'][joint],
                          color=colour, lw=0.8, alpha=0.7)
            axis.plot([], [], color=colour, label=variant)
            axis.plot(np.subtract(motion['times'], start), motion['positions'][joint],
                      color='#888888', lw=1.6, zorder=0)
            axis.set_ylabel(joints[joint], rotation=0, ha='right', fontsize=8)
    axes[0].legend(fontsize=8, loc='upper right')
    axes[-1].set_xlabel('time [s]')
    return figure


def _seams(report: EvaluationReport) -> Figure | None:
    details = _details(report, 'seam_jumps')
    if not details:
        return None
    figure = _figure(2.6)
    axes = figure.subplots()
    values = {variant: np.concatenate(items) for variant, items in details.items()}
    largest = max(float(item.max()) for item in values.values())
    for variant, item, colour in _coloured({name: list(x) for name, x in values.items()}):
        axes.hist(item, bins=np.linspace(0.0, max(largest, 1e-6), 31), color=colour, alpha=0.6,
                  label=variant)
    axes.set(xlabel='jump [part of range]', ylabel='seams')
    axes.legend()
    return figure


def _subtasks(report: EvaluationReport) -> Figure | None:
    rows: list[tuple[str, list[tuple[float, float, str]]]] = []
    annotated = _details(report, 'annotated')
    if annotated:
        first = next(iter(annotated.values()))[0]
        rows.append(('annotated', [
            (span['start'], span['end'], span['text'].casefold()) for span in first]))
    rows += [(variant, [tuple(span) for span in items[0]])
             for variant, items in _details(report, 'subtasks').items()]
    texts = list(dict.fromkeys(text for _, spans in rows for *_, text in spans if text))
    if not texts:
        return None
    start = min(span[0] for _, spans in rows for span in spans)
    palette = dict(zip(texts, cycle(COLOURS), strict=False))
    figure = _figure(0.8 + 0.6 * len(rows))
    axes = figure.subplots()
    for row, (_, spans) in enumerate(rows):
        for begin, end, text in spans:
            if text:
                bar, = axes.barh(row, end - begin, left=begin - start, color=palette[text],
                                 edgecolor='white')
                label = axes.text(begin - start, row, f' {text}', va='center', fontsize=7)
                label.set_clip_path(bar)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.invert_yaxis()
    axes.set_xlabel('time [s]')
    return figure


def _memory_length(report: EvaluationReport) -> Figure | None:
    details = _details(report, 'memories')
    if not any(text for items in details.values() for *_, text in items[0]):
        return None
    figure = _figure(2.6)
    axes = figure.subplots()
    for variant, episodes, colour in _coloured(details):
        spans = episodes[0]
        start = spans[0][0]
        times = [span[0] - start for span in spans] + [spans[-1][1] - start]
        lengths = [len(span[2]) for span in spans]
        axes.stairs(lengths, times, baseline=None, color=colour, label=variant)
    axes.set(xlabel='time [s]', ylabel='characters', ylim=(0, None))
    axes.legend()
    return figure
