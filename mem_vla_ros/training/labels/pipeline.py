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
Label pipeline: a file of annotated episodes in, a file of training records out.

Resumable: answers of the language model are cached as they come, so a run that is started again
asks only what it has not asked yet; the output appears whole at the end.
"""

from collections import Counter
import json
from pathlib import Path

from tqdm import tqdm

from mem_vla_ros.core.errors import ConfigError
from mem_vla_ros.training.labels.annotated_episode import read_episodes, write_records
from mem_vla_ros.training.labels.labeller import Labeller
from mem_vla_ros.training.labels.report import LabelReport, make_report


def label_file(
    source: Path, target: Path, labeller: Labeller, progress: bool = True,
) -> LabelReport:
    """
    Label all episodes of a file; the report is written beside the target as JSON.

    :raises ConfigError: if a file cannot be read or written, or an episode is there twice.
    """
    episodes = read_episodes(source)
    names = Counter(episode.episode for episode in episodes)
    twice = sorted(name for name, count in names.items() if count > 1)
    if twice:
        raise ConfigError(f'Episode names must be unique in {source}. Got twice: {twice[:5]}.')
    records = []
    for episode in tqdm(episodes, unit='episode', disable=not progress):
        records += labeller.label(episode)
    report = make_report(episodes, records, labeller.counts)
    try:
        write_records(target, records)
        target.with_name(f'{target.name}.report.json').write_text(
            json.dumps(report.to_dict(), indent=2) + '\n', encoding='utf-8')
    except OSError as error:
        raise ConfigError(f'Labels {target} cannot be written: {error}') from error
    return report
