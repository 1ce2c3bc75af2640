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
"""The fault matrix is complete, names tests that exist, and its page is current."""

from faults.rows import fault_page, FAULTS, PAGE, ROOT, ROWS
from faults.rows import test_names as names_of_tests
import pytest

from mem_vla_ros.ros.parameter_docs import parameter_page

by_row = pytest.mark.parametrize('row', ROWS, ids=lambda row: row.slug)


@by_row
def test_row_names_tests_that_exist(row):
    assert row.tests
    missing = [f'{file}::{name}' for file, name in row.tests if name not in names_of_tests(file)]
    assert missing == []


@by_row
def test_own_test_of_a_row_carries_its_name(row):
    own = [name for file, name in row.tests if file.startswith(FAULTS)]
    assert not own or any(row.slug in name for name in own)


def test_no_row_comes_twice():
    assert len({row.slug for row in ROWS}) == len(ROWS)


def test_every_test_of_the_folder_belongs_to_a_row():
    named = {test for row in ROWS for test in row.tests}
    slugs = [row.slug for row in ROWS]
    for path in sorted((ROOT / FAULTS).glob('test_*_faults.py')):
        file = str(path.relative_to(ROOT))
        for name in names_of_tests(file):
            assert (file, name) in named or any(slug in name for slug in slugs), name


def test_page_of_faults_is_current():
    assert PAGE.read_text(encoding='utf-8') == fault_page(), 'run make docs'


def test_page_of_parameters_is_current():
    page = ROOT / 'docs' / 'parameters.md'
    assert page.read_text(encoding='utf-8') == parameter_page(), 'run make docs'
