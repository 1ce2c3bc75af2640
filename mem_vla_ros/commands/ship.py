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

"""``memvla ship``: the checkpoint of a run in half precision, small enough for a repository."""

import argparse
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'ship', help='write a checkpoint in half precision; it is read like any other')
    parser.add_argument('checkpoint', type=Path, help='such as runs/low_video/checkpoint')
    parser.add_argument('out', type=Path, help='folder, such as mem_vla_ros/weights/low_level')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the folder, and say how large its weights are."""
    import torch

    from mem_vla_ros.core.weights import notes_of
    from mem_vla_ros.models.checkpoint import Checkpoint
    checkpoint = Checkpoint.from_pretrained(args.checkpoint, torch.float16)
    checkpoint.save_pretrained(args.out, notes_of(args.checkpoint))
    size = (args.out / 'model.safetensors').stat().st_size
    print(f'{args.out}: {size / 1e6:.1f} MB of weights')
    return 0
