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

"""``memvla memory``: look into the journal and the store of closed episodes."""

import argparse
from pathlib import Path


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser('memory', help='look into journals and remembered episodes')
    actions = parser.add_subparsers(dest='action', required=True, metavar='ACTION')
    listing = actions.add_parser('list', help='list the newest closed episodes of a store')
    listing.add_argument('store', type=Path, help='SQLite file (parameter episode_store)')
    listing.add_argument('--limit', type=_count, default=20)
    search = actions.add_parser('search', help='find closed episodes by words')
    search.add_argument('store', type=Path)
    search.add_argument('words', nargs='+')
    search.add_argument('--limit', type=_count, default=20)
    purge = actions.add_parser('purge', help='delete closed episodes from a store')
    purge.add_argument('store', type=Path)
    purge.add_argument('--keep', type=_count, required=True, help='how many newest ones stay')
    journal = actions.add_parser('journal', help='show the episodes of a journal, or one of them')
    journal.add_argument('folder', type=Path, help='journal folder (parameter journal)')
    journal.add_argument('episode', nargs='?', help='an id from the list, or "newest"')
    journal.add_argument('--full', action='store_true', help='whole memories, not differences')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do what was asked."""
    if args.action == 'journal':
        return _show_journal(args)
    return _use_store(args)


def _use_store(args: argparse.Namespace) -> int:
    from mem_vla_ros.core.errors import ConfigError
    from mem_vla_ros.memory.episode_store import EpisodeStore
    if not args.store.is_file():
        raise ConfigError(f'No episode store at {args.store}.')
    store = EpisodeStore(args.store)
    try:
        if args.action == 'purge':
            print(f'deleted {store.purge(args.keep)} episodes')
            return 0
        if args.action == 'search':
            episodes = store.search(' '.join(args.words), args.limit)
        else:
            episodes = store.newest(args.limit)
    finally:
        store.close()
    for episode in episodes:
        print(f'{episode.episode}  {episode.goal}\n    {episode.memory}')
    return 0


def _show_journal(args: argparse.Namespace) -> int:
    from mem_vla_ros.memory.journal import list_episodes, read_episode
    from mem_vla_ros.memory.journal_view import format_record
    episodes = list_episodes(args.folder)
    if args.episode is None:
        for episode in episodes:
            records = read_episode(args.folder, episode)
            goal = records[-1].state.goal if records else '(no valid record)'
            print(f'{episode}  {len(records):5d} records  {goal}')
        return 0
    wanted = episodes[-1] if args.episode == 'newest' and episodes else args.episode
    for record in read_episode(args.folder, wanted):
        print(format_record(record, args.full))
    return 0


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError('must be 0 or more')
    return number
