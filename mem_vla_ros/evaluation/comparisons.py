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

"""What is compared with what: the variants, and the figures of the paper that they make up."""

from dataclasses import dataclass

from mem_vla_ros.sim.tasks.registry import SUITES


@dataclass(frozen=True)
class Look:
    """
    How a variant is shown, everywhere the same.

    :param colour: Of the palette of Okabe and Ito, which the colour-blind can tell apart.
    """

    label: str
    colour: str


#: Folder of the results -> how it is shown, in the order of tables and figures.
VARIANTS: dict[str, Look] = {
    'scratch': Look('MEM, as it ships', '#000000'),
    'both': Look('both memories (MEM)', '#0072B2'),
    'no_memory': Look('no memory', '#999999'),
    'pool': Look('pool memory', '#E69F00'),
    'proprio': Look('proprio memory', '#009E73'),
    'no_language': Look('no language memory', '#D55E00'),
    'naive': Look('naive memory', '#56B4E9'),
    'no_video': Look('no video memory', '#CC79A7'),
    'horizon_6': Look('6 frames', '#56B4E9'),
    'horizon_18': Look('6, then 18 frames', '#0072B2'),
    'alone_video': Look('video memory', '#0072B2'),
    'alone_no_memory': Look('no memory', '#999999'),
    'alone_pool': Look('pool memory', '#E69F00'),
    'alone_proprio': Look('proprio memory', '#009E73'),
    'alone_post_train': Look('post-train only', '#CC79A7'),
    'alone_insulated': Look('video memory, insulated', '#56B4E9'),
}
SUITE_VARIANTS = ('scratch', 'both', 'no_memory', 'pool', 'proprio')
NO_LOSS_VARIANTS = ('scratch', 'both', 'no_memory')
LONG_VARIANTS = ('scratch', 'both', 'no_language', 'naive', 'no_video')
HORIZON_VARIANTS = ('horizon_6', 'horizon_18')
ALONE_VARIANTS = tuple(name for name in VARIANTS if name.startswith('alone_'))


@dataclass(frozen=True)
class Comparison:
    """
    One table and figure.

    :param name: Of the figure's file.
    :param measure: ``success``, or ``points`` for the share of the rubric's points.
    :param chance: Whether the success of the best policy without memory is shown beside.
    :param disturbed: Whether rollouts in which grasps slip or the arm is held are shown, too.
    """

    name: str
    title: str
    text: str
    tasks: tuple[str, ...]
    variants: tuple[str, ...]
    measure: str
    chance: bool = False
    disturbed: bool = False


COMPARISONS = (
    Comparison(
        'memory_suite', 'Memory suite',
        'Share of solved episodes with both levels. MEM has video memory in both and language '
        'memory; the others have no language memory, and of the past what their name says. '
        'Chance is the success of the best policy without memory (tasks.md).',
        SUITES['memory'], SUITE_VARIANTS, 'success', chance=True),
    Comparison(
        'in_context_adaptation', 'In-context adaptation',
        'Share of solved episodes with both levels: what failed must not be tried again. Chance '
        'is a policy that varies its attempts without remembering them; one that always does '
        'the same solves a third of chopstick and a quarter of open_refrigerator.',
        SUITES['adaptation'], SUITE_VARIANTS, 'success', chance=True),
    Comparison(
        'long_horizon', 'Long horizon',
        "Share of the rubric's points with both levels. Where grasps slip, a share of them closes "
        'on nothing, and the robot must try again. Where the arm is held, it stays where it is '
        'for so long, once in an episode; video memory reaches 12 s back.',
        SUITES['long'], LONG_VARIANTS, 'points', disturbed=True),
    Comparison(
        'no_loss', 'Tasks without memory',
        "Share of the rubric's points with both levels: where nothing must be remembered, memory "
        'must not hurt.',
        SUITES['dexterity'], NO_LOSS_VARIANTS, 'points'),
    Comparison(
        'horizon', 'Longer video memory',
        'Share of solved episodes with both levels and no language memory: a high level with 6 '
        'frames of video memory, a second apart, and the same after it went on with 18.',
        SUITES['memory'], HORIZON_VARIANTS, 'success', chance=True),
    Comparison(
        'video_memory_alone', 'Video memory alone',
        'Share of solved episodes. The low level acts alone, told the goal and nothing else, so '
        'what it knows of the past is in its video memory. All learn this one task from random '
        'weights with equal budgets; post-train only has memory in the last phase alone, and in '
        'the insulated one no gradient of the actions reaches the backbone, which learns from '
        'FAST tokens.',
        ('find_object',), ALONE_VARIANTS, 'success', chance=True),
)
