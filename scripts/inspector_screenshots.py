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
Take the pictures of the inspector's page for the README: light, dark and phone.

Needs Chromium with its driver and the package selenium::

    python scripts/inspector_screenshots.py RECORDING [--output docs/figures] [--at SECONDS]
"""

import argparse
from pathlib import Path
import shutil
import sys
import time

from selenium import webdriver

from mem_vla_ros.inspector.recording import open_recording
from mem_vla_ros.inspector.server import InspectorServer

FLAGS = (
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--hide-scrollbars')
# Name, width, height, colour scheme, phone.
SHOTS = (
    ('inspector_light', 1400, 1330, 'light', False),
    ('inspector_dark', 1400, 1330, 'dark', False),
    ('inspector_phone', 390, 1500, 'light', True),
)
PAGE_TIMEOUT_S = 20.0


def main() -> int:
    """Take all pictures and return 0, or 1 if there is no browser."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').strip().splitlines()[0])
    parser.add_argument('recording', type=Path)
    parser.add_argument('--output', type=Path, default=Path('docs/figures'))
    parser.add_argument('--at', type=float, help='moment to show [s since the start]')
    args = parser.parse_args()
    chromium, driver = shutil.which('chromium'), shutil.which('chromedriver')
    if chromium is None or driver is None:
        print('Chromium is missing: apt-get install chromium chromium-driver', file=sys.stderr)
        return 1
    server = InspectorServer(open_recording(args.recording), port=0, is_live=False)
    url = server.start()
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        for shot in SHOTS:
            _take(browser, url, args, *shot)
    finally:
        browser.quit()
        server.stop()
    return 0


def _take(
    browser: webdriver.Chrome, url: str, args: argparse.Namespace, name: str, width: int,
    height: int, scheme: str, phone: bool,
) -> None:
    browser.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
        'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': phone})
    browser.execute_cdp_cmd('Emulation.setEmulatedMedia', {
        'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})
    browser.get(url if args.at is None else f'{url}#time={args.at}')
    deadline = time.monotonic() + PAGE_TIMEOUT_S
    while not browser.execute_script(
            "const images = [...document.querySelectorAll('.slot img:not([hidden])')];"
            'return images.length > 0 && images.every(image => image.complete)'):
        if time.monotonic() > deadline:
            raise TimeoutError('The page showed no frames.')
        time.sleep(0.1)
    time.sleep(1.5)  # the mark of a fresh memory fades
    path = args.output / f'{name}.png'
    path.parent.mkdir(parents=True, exist_ok=True)
    browser.save_screenshot(str(path))
    print(f'wrote {path}')


if __name__ == '__main__':
    sys.exit(main())
