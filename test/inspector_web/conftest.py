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

"""The inspector's page in three states, and a real browser."""

from collections.abc import Iterator
import shutil
from typing import Any

import pytest
from support.served_page import serve, Served, TIMEOUT_S, TOKEN

from mem_vla_ros.inspector.demo_run import DemoRun
from mem_vla_ros.inspector.recorder import Recorder

BROWSER_FLAGS = (
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync')


@pytest.fixture
def served() -> Iterator[Served]:
    """Serve the texts of the demo run's first ten seconds, with a token."""
    recorder = Recorder()
    run = DemoRun(recorder, is_detailed=False)
    run.advance(10.0)
    served = serve(recorder, run, TOKEN, timeout_s=TIMEOUT_S)
    yield served
    served.server.stop()


@pytest.fixture
def detailed() -> Iterator[Served]:
    """Serve also its pictures and motions, to a browser that may be slow."""
    recorder = Recorder()
    run = DemoRun(recorder)
    run.advance(10.0)
    served = serve(recorder, run, TOKEN)
    yield served
    served.server.stop()


@pytest.fixture
def read_only() -> Iterator[Served]:
    recorder = Recorder()
    served = serve(recorder, DemoRun(recorder), None)
    yield served
    served.server.stop()


@pytest.fixture(scope='session')
def browser() -> Iterator[Any]:
    """Start the system's Chromium without a window."""
    webdriver = pytest.importorskip('selenium.webdriver', reason='selenium is not installed')
    chromium = shutil.which('chromium') or shutil.which('chromium-browser')
    driver = shutil.which('chromedriver')
    if chromium is None or driver is None:
        pytest.skip('Chromium is missing: apt-get install chromium chromium-driver')
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*BROWSER_FLAGS, '--window-size=1400,1100'):
        options.add_argument(flag)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    browser.set_page_load_timeout(20)
    yield browser
    browser.quit()
