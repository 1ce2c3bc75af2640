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
Seams between action chunks: hard switch, ensembling, and real-time chunking of both kinds.

An arm moves past a row of obstacles, each of which may be passed left or right: two modes, and
an observation tells only vaguely which one is running. The policy is the exact flow of that
distribution, so that nothing here depends on training: what a perfect network would answer.
Chunks, delays and the two ways of sampling are those of the running system
(``execution/chunking.py``, ``models/flow.py``, ``models/rtc_guidance.py``).

At every border between two chunks the largest jump of the reference and its jerk are taken, with
delays of 0 to 10 steps, before the executor blends anything.
"""

import argparse
from dataclasses import dataclass
import json
from pathlib import Path

import matplotlib
import numpy as np
import torch

from mem_vla_ros.core.types import ActionChunk, Committed, FloatArray
from mem_vla_ros.execution.chunking import RealTimeChunking
from mem_vla_ros.execution.delay_forecast import DelayForecast
from mem_vla_ros.execution.motion import Motion
from mem_vla_ros.models.flow import integrate
from mem_vla_ros.models.rtc_guidance import Guidance

matplotlib.use('Agg')
from matplotlib import pyplot as plt  # noqa: E402

DT = 0.02
ROWS = 50
EXECUTION_HORIZON = 25
FLOW_STEPS = 10
DELAYS = range(11)
CYCLES = 10
# Size of the detour around an obstacle [rad], and time from one obstacle to the next [s].
DETOUR = 0.3
PERIOD = 2.0
# How chunks of one mode differ from each other: by how much, and how smoothly [s].
SPREAD = 0.1
SMOOTHNESS = 0.25
# Time in which a chunk returns to its mode from wherever the arm is [s].
RETURN = 0.15


@dataclass(frozen=True)
class Method:
    """One way to go from chunk to chunk; ``beta`` and ``jacobian`` are those of the guidance."""

    label: str
    chunking: str
    beta: float = float(FLOW_STEPS)
    jacobian: str = 'vjp'


METHODS = {
    'hard': Method('hard switch', 'hard'),
    'ensemble': Method('ensembling', 'ensemble'),
    'rtc_guided': Method('RTC, guided', 'rtc_guided'),
    'rtc_guided_beta_5': Method('RTC, guided, beta 5', 'rtc_guided', beta=5.0),
    'rtc_guided_identity': Method(
        'RTC, guided, identity Jacobian', 'rtc_guided', jacobian='identity'),
    'rtc_trained': Method('RTC, trained prefix', 'rtc_trained')}


class TwoModeFlow:
    """
    The flow whose data are chunks that start at the arm and pass the obstacles on one side.

    Each mode is a Gaussian process over the rows, tied to the present position at row 0. Its
    posterior, and with it the velocity of the flow, is known in closed form, also when some rows
    are noisier than others: that is what a network with training-time RTC learns.

    :param certainty: Distance from a mode, in detours, at which the policy begins to doubt that
        it is the running one.
    """

    def __init__(self, stamp: float, position: float, certainty: float) -> None:
        rows = torch.arange(ROWS, dtype=torch.float64) * DT
        detour = torch.sin(torch.pi * (stamp + rows) / PERIOD).square()
        self.means = torch.stack([
            side * detour + (position / DETOUR - side * detour[0]) * torch.exp(-rows / RETURN)
            for side in (-1.0, 1.0)])  # (2, H)
        self.log_prior = torch.stack([
            -0.5 * ((position / DETOUR - side * detour[0]) / certainty).square()
            for side in (-1.0, 1.0)])
        kernel = torch.exp(-0.5 * ((rows[:, None] - rows) / SMOOTHNESS).square())
        bridge = kernel - kernel[:, :1] * kernel[:1]
        self.covariance = SPREAD ** 2 * bridge + 1e-6 * torch.eye(ROWS, dtype=torch.float64)

    def velocity(self, chunk: torch.Tensor, tau: torch.Tensor) -> torch.Tensor:
        """Return the expected noise less the expected data, given the noisy chunk (1, H, 1)."""
        noisy = chunk[0, :, 0]
        tau = tau[0].expand(ROWS).to(noisy)
        clean_share = 1.0 - tau
        mixed = clean_share[:, None] * self.covariance
        total = mixed * clean_share + torch.diag(tau.square())
        error = noisy - clean_share * self.means  # (2, H)
        solved = torch.linalg.solve(total, error.T).T
        weights = torch.softmax(self.log_prior - 0.5 * (error * solved).sum(dim=1), dim=0)
        data = (weights[:, None] * (self.means + solved @ mixed)).sum(dim=0)
        return ((noisy - data) / tau.clamp_min(1e-6))[None, :, None]


def predict(
    method: Method, stamp: float, position: float, committed: Committed | None,
    certainty: float, generator: torch.Generator,
) -> ActionChunk:
    """Return the policy's chunk, with what is committed honoured as the method says."""
    velocity = TwoModeFlow(stamp, position, certainty).velocity
    noise = torch.randn(1, ROWS, 1, generator=generator, dtype=torch.float64)
    prefix = None
    if committed is not None:
        running = torch.from_numpy(committed.positions / DETOUR)[None]
        if method.chunking == 'rtc_guided':
            guidance = Guidance(
                running, committed.delay, EXECUTION_HORIZON, method.beta,
                jacobian=method.jacobian)
            velocity = guidance.guide(velocity, ROWS)
        else:
            prefix = running[:, :committed.delay]
    chunk = integrate(velocity, noise, FLOW_STEPS, prefix)[0].numpy() * DETOUR
    return ActionChunk(('sideways',), stamp, DT, chunk)


@dataclass
class Run:
    """
    The executed reference of one run, and what happened at its borders.

    :param switches: Borders after which the new chunk leaves the running one by more than a
        detour. Without a jump this is a change of mind, not a seam.
    """

    times: FloatArray
    positions: FloatArray
    jumps: list[float]
    jerks: list[float]
    switches: int

    @property
    def mode_jumps(self) -> int:
        """Return how many jumps are larger than the spread within a mode explains."""
        return sum(jump > 3 * SPREAD * DETOUR for jump in self.jumps)


def run(method: Method, delay: int, seed: int, certainty: float) -> Run:
    """Execute chunks that arrive ``delay`` steps after their observation."""
    generator = torch.Generator().manual_seed(seed)
    start = PERIOD * float(torch.rand(1, generator=generator))
    chunking = RealTimeChunking(
        method.chunking, DT, ROWS, EXECUTION_HORIZON, DelayForecast(initial=delay),
        transport_s=0.0)
    playing = Motion.rest(np.zeros(1), start)
    times, positions, borders, jumps, switches = [], [], [], [], 0
    pending: tuple[int, ActionChunk] | None = None
    for step in range(CYCLES * EXECUTION_HORIZON):
        now = start + step * DT
        if pending is None and chunking.due(now):
            committed = chunking.committed(now)
            position = float(playing.at(now)[0])
            pending = step + delay, predict(
                method, now, position, committed, certainty, generator)
        if pending is not None and step == pending[0]:
            coming = Motion.of(chunking.answered(pending[1], now))
            pending = None
            if borders or positions:
                shared = now + DT * np.arange(EXECUTION_HORIZON - delay)
                apart = np.abs(coming.at(shared) - playing.at(shared))
                jumps.append(float(apart[0, 0]))
                switches += bool(apart.max() > DETOUR)
                borders.append(step)
            playing = coming
        times.append(now)
        positions.append(float(playing.at(now)[0]))
    jerk = np.abs(np.diff(positions, n=3)) / DT ** 3
    return Run(
        np.array(times), np.array(positions), jumps[1:],
        [float(jerk[step - 3:step + 2].max()) for step in borders[1:-1]], switches)


def measure(runs: int, repeat: int, certainty: float) -> dict[str, dict[str, list[float]]]:
    """Return method -> largest jump, largest jerk and mode jumps per delay."""
    figures: dict[str, dict[str, list[float]]] = {
        name: {'jump': [], 'jerk': [], 'mode_jumps': [], 'switches': []} for name in METHODS}
    for delay in DELAYS:
        for name, method in METHODS.items():
            done = [
                run(method, delay, 1000 * repeat + index, certainty) for index in range(runs)]
            figures[name]['jump'].append(max(max(each.jumps) for each in done))
            figures[name]['jerk'].append(max(max(each.jerks) for each in done))
            figures[name]['mode_jumps'].append(sum(each.mode_jumps for each in done))
            figures[name]['switches'].append(sum(each.switches for each in done))
    return figures


def median_figures(repeats: list[dict[str, dict[str, list[float]]]]) -> dict[str, dict]:
    """Return the median over the repeats, and all mode jumps together."""
    return {
        name: {
            'jump': np.median([each[name]['jump'] for each in repeats], axis=0),
            'jerk': np.median([each[name]['jerk'] for each in repeats], axis=0),
            'mode_jumps': np.sum([each[name]['mode_jumps'] for each in repeats], axis=0),
            'switches': np.sum([each[name]['switches'] for each in repeats], axis=0)}
        for name in METHODS}


def plot(figures: dict[str, dict], certainty: float, path: Path) -> None:
    """Draw one run of each kind, and jump and jerk over the delay."""
    figure, (paths, jumps, jerks) = plt.subplots(1, 3, figsize=(14, 4))
    times = np.arange(0.0, CYCLES * EXECUTION_HORIZON * DT + PERIOD, DT)
    for side in (-1.0, 1.0):
        paths.plot(times, side * DETOUR * np.sin(np.pi * times / PERIOD) ** 2, color='0.85', lw=6)
    for index, (name, method) in enumerate(METHODS.items()):
        style = {'color': f'C{index}', 'label': method.label}
        example = run(method, delay=8, seed=3, certainty=certainty)
        if name in ('hard', 'ensemble', 'rtc_guided', 'rtc_trained'):
            paths.plot(example.times, example.positions, lw=1.2, **style)
        jumps.plot(DELAYS, figures[name]['jump'], marker='o', **style)
        jerks.semilogy(DELAYS, figures[name]['jerk'], marker='o', **style)
    paths.set(title='One run, delay of 8 steps (grey: the modes)', xlabel='time [s]',
              ylabel='reference [rad]')
    jumps.set(title='Largest jump at a border', xlabel='delay [steps]', ylabel='jump [rad]')
    jerks.set(title='Largest jerk at a border', xlabel='delay [steps]', ylabel='jerk [rad/s³]')
    paths.legend(fontsize=8)
    jumps.legend(fontsize=8)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure, print a table and a JSON line, and plot."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--runs', type=int, default=6, help='runs per delay, kind and repeat')
    parser.add_argument('--repeats', type=int, default=3, help='repeats, medians are taken')
    parser.add_argument('--certainty', type=float, default=1.0,
                        help='how far from a mode, in detours, the policy begins to doubt it')
    parser.add_argument('--plot', type=Path, default=Path('docs/figures/seams.png'))
    options = parser.parse_args()
    torch.set_num_threads(1)
    repeats = [
        measure(options.runs, repeat, options.certainty) for repeat in range(options.repeats)]
    figures = median_figures(repeats)
    print('| chunks | ' + ' | '.join(f'jump at {delay}' for delay in DELAYS[::2])
          + ' | largest jerk | mode jumps | changes of side |')
    print('|---' * (len(DELAYS[::2]) + 4) + '|')
    for name, method in METHODS.items():
        print(f'| {method.label} | '
              + ' | '.join(f'{jump:.4f}' for jump in figures[name]['jump'][::2])
              + f" | {figures[name]['jerk'].max():.0f} | {figures[name]['mode_jumps'].sum()}"
              + f" | {figures[name]['switches'].sum()} |")
    plot(figures, options.certainty, options.plot)
    largest = {name: float(figures[name]['jump'].max()) for name in METHODS}
    print(json.dumps({
        'rtc_over_hard_jump': round(largest['rtc_guided'] / largest['hard'], 4),
        'trained_rtc_over_hard_jump': round(largest['rtc_trained'] / largest['hard'], 4),
        'ensemble_over_hard_jump': round(largest['ensemble'] / largest['hard'], 4),
        'identity_rtc_over_hard_jump': round(
            largest['rtc_guided_identity'] / largest['hard'], 4),
        'mode_jumps': {name: int(figures[name]['mode_jumps'].sum()) for name in METHODS}}))


if __name__ == '__main__':
    main()
