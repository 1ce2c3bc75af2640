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

"""What an installation holds: everything that nodes, launch files and users look for."""

from pathlib import Path
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope='module')
def wheel_names(tmp_path_factory):
    """Return the names of all files in a wheel built from the sources that git knows."""
    folder = tmp_path_factory.mktemp('wheel')
    tracked = subprocess.run(
        ['git', 'ls-files', 'mem_vla_ros', 'launch', 'config', 'resource', 'setup.py',
         'setup.cfg', 'pyproject.toml', 'package.xml'],
        cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in tracked:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    subprocess.run(
        [sys.executable, '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation',
         '--wheel-dir', 'out', '.'], cwd=folder, check=True)
    wheel = next((folder / 'out').glob('*.whl'))
    return {name.partition('.data/data/')[2] or name
            for name in zipfile.ZipFile(wheel).namelist()}


@pytest.mark.parametrize('folder', ['launch', 'config'])
def test_every_launch_and_config_file_is_installed(wheel_names, folder):
    names = [f'share/mem_vla_ros/{path.relative_to(ROOT)}'
             for path in (ROOT / folder).rglob('*') if path.suffix in ('.py', '.yaml', '.xml')]
    assert names
    assert [name for name in names if name not in wheel_names] == []


def test_ament_finds_the_package(wheel_names):
    assert 'share/ament_index/resource_index/packages/mem_vla_ros' in wheel_names
    assert 'share/mem_vla_ros/package.xml' in wheel_names


def test_the_page_of_the_inspector_is_installed(wheel_names):
    assert 'mem_vla_ros/inspector/static/index.html' in wheel_names


def test_manifest_and_set_up_agree_on_the_version():
    manifest = ElementTree.parse(ROOT / 'package.xml').getroot()
    assert manifest.get('format') == '3'
    assert f"version='{manifest.findtext('version')}'" in (ROOT / 'setup.py').read_text()
