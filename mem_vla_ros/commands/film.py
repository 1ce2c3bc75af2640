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

"""``memvla film``: a GIF, or a strip of pictures, of an expert solving a task."""

import argparse
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser('film', help='show an expert solving a task, as GIF or PNG')
    parser.add_argument('--task', required=True, help='task of the suite, see memvla tasks')
    parser.add_argument(
        '--out', required=True, help='a .gif file for a film, a .png file for a strip')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--size', type=int, default=160, help="side of a camera's image [px]")
    parser.add_argument('--speed', type=float, default=2.0, help='times the real speed')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the film; return 1 if the expert fails on this seed."""
    from mem_vla_ros.core.errors import ConfigError
    from mem_vla_ros.sim.film import Film, film_expert, picture_expert
    suffix = Path(args.out).suffix
    if suffix == '.gif':
        score = film_expert(args.task, args.out, Film(args.size, speed=args.speed), args.seed)
    elif suffix == '.png':
        score = picture_expert(args.task, args.out, args.seed, args.size)
    else:
        raise ConfigError(f'--out must end in .gif or .png. Got {args.out!r}.')
    print(f'{args.out}: {score.points:g} of {score.max_points:g} points')
    return 0 if score.success else 1
