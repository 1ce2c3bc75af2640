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

"""``memvla label``: memory labels for annotated episodes."""

import argparse
from pathlib import Path
from typing import Any

BACKENDS = ('rules', 'openai', 'transformers')


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'label', help='write memory labels for annotated episodes',
        description='Reads and writes JSON Lines, see docs/memory.md. A run that was stopped '
                    'goes on where it was when started again with the same cache.')
    parser.add_argument('source', type=Path, help='annotated episodes')
    parser.add_argument('target', type=Path, help='training records')
    parser.add_argument('--backend', choices=BACKENDS, default='rules', help='who writes')
    parser.add_argument('--model', default='', help='name, or folder, of the language model')
    parser.add_argument('--base-url', default='', help='of the OpenAI-compatible endpoint')
    parser.add_argument('--key-variable', default='',
                        help='environment variable that holds the key of the endpoint')
    parser.add_argument('--timeout', type=float, default=60.0, help='of one try [s]')
    parser.add_argument('--cache', type=Path, help='default: <target>.cache')
    parser.add_argument('--tries', type=int, default=3, help='per label, before rules write it')
    parser.add_argument('--max-chars', type=int, default=800, help='budget of a memory')
    parser.add_argument('--max-tokens', type=int, default=200, help='budget of a memory')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Label the file and print the report."""
    from mem_vla_ros.memory.memory_budget import MemoryBudget
    from mem_vla_ros.training.labels.label_cache import LabelCache
    from mem_vla_ros.training.labels.labeller import Labeller
    from mem_vla_ros.training.labels.pipeline import label_file
    chat = _make_chat(args)
    cache = None
    if chat is not None:
        cache = LabelCache(args.cache or args.target.with_name(f'{args.target.name}.cache'))
    labeller = Labeller(
        MemoryBudget(args.max_chars, args.max_tokens), chat, args.model, cache, args.tries)
    print(label_file(args.source, args.target, labeller))
    return 0


def _make_chat(args: argparse.Namespace) -> Any:
    from mem_vla_ros.core.errors import ConfigError
    if args.backend == 'rules':
        return None
    if not args.model:
        raise ConfigError(f'--backend {args.backend} needs --model.')
    if args.backend == 'openai':
        from mem_vla_ros.policies.chat_endpoint import ChatEndpoint, EndpointConfig
        return ChatEndpoint(EndpointConfig(
            args.base_url, args.model, timeout_s=args.timeout, key_variable=args.key_variable))
    from mem_vla_ros.policies.transformers_chat import load_text_chat
    return load_text_chat(args.model)
