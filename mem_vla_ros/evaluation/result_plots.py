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

"""The figures of the results, drawn without a display."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mem_vla_ros.evaluation.comparisons import Comparison, COMPARISONS, VARIANTS
from mem_vla_ros.evaluation.results import Condition, Results
from mem_vla_ros.sim.tasks.registry import TASKS

_GROUP = 0.84


def make_result_plots(results: Results) -> dict[str, Figure]:
    """Return file name -> figure, for every comparison that has data."""
    return {comparison.name: _grouped_bars(results, comparison)
            for comparison in COMPARISONS if results.of(comparison)}


def latency_figure(latency_s: Mapping[str, Mapping[str, float]]) -> Figure:
    """
    Return latency against frames.

    :param latency_s: Method -> number of frames, as text -> seconds.
    """
    figure = Figure(figsize=(6, 3.6), layout='constrained')
    axes = figure.subplots()
    for name, line in latency_s.items():
        axes.plot([int(frames) for frames in line], [1e3 * value for value in line.values()],
                  marker='o', label=name)
    axes.set(xlabel='frames per camera', ylabel='encoder + backbone [ms CPU]', yscale='log')
    axes.set_title('Four cameras, ViT of 12 layers and 196 patches, one thread', fontsize=9)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return figure


def _grouped_bars(results: Results, comparison: Comparison) -> Figure:
    conditions = results.conditions(comparison)
    variants = [variant for variant in comparison.variants if any(
        results.summary(comparison, variant, condition) for condition in conditions)]
    figure = Figure(figsize=(10.0, 3.8), layout='constrained')
    axes = figure.subplots()
    width = _GROUP / len(variants)
    for index, variant in enumerate(variants):
        _bars(axes, results, comparison, variant, width, (index - (len(variants) - 1) / 2) * width)
    if comparison.chance:
        _chance_marks(axes, conditions)
    axes.set_xticks(range(len(conditions)), [
        condition.label.replace('_', ' ').replace(', ', '\n') for condition in conditions],
        fontsize=8)
    axes.set(ylim=(0, 112), yticks=range(0, 101, 20), ylabel={
        'success': 'solved episodes [%]', 'points': 'share of the points [%]'}[comparison.measure])
    axes.spines[['top', 'right']].set_visible(False)
    figure.legend(loc='outside upper center', ncols=3, fontsize=8, frameon=False)
    return figure


def _bars(
    axes: Axes, results: Results, comparison: Comparison, variant: str, width: float,
    offset: float,
) -> None:
    """Draw one variant; what was not measured leaves a gap."""
    look = VARIANTS[variant]
    label: str | None = look.label
    for place, condition in enumerate(results.conditions(comparison)):
        summary = results.summary(comparison, variant, condition)
        if summary is None:
            continue
        mean, error = 100 * summary.mean, 100 * (summary.standard_error or 0.0)
        axes.bar(place + offset, mean, 0.94 * width, yerr=error, color=look.colour, label=label,
                 error_kw={'elinewidth': 1, 'capsize': 2, 'ecolor': '#333333'})
        axes.text(place + offset, mean + error + 1.5, f'{mean:.0f}', ha='center', fontsize=6.5)
        label = None


def _chance_marks(axes: Axes, conditions: list[Condition]) -> None:
    for place, condition in enumerate(conditions):
        axes.hlines(
            100 * TASKS[condition.task].chance, place - _GROUP / 2, place + _GROUP / 2,
            colors='black', linestyles='dashed', linewidth=1.2,
            label='chance without memory' if place == 0 else None)
