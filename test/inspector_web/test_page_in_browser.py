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

"""The page in a real Chromium: what a person sees and can do."""

import importlib
import time

import pytest
from support.served_page import serve, TOKEN, wait_until

from mem_vla_ros.core.states import HighLevelState
from mem_vla_ros.inspector.demo_run import DemoRun
from mem_vla_ros.inspector.recorder import Recorder

webdriver = pytest.importorskip('selenium.webdriver', reason='selenium is not installed')
By = importlib.import_module('selenium.webdriver.common.by').By
Keys = webdriver.Keys

PAYLOADS = (
    '<script>window.hacked=1</script>', '<img src=x onerror="window.hacked=1">',
    '"><svg onload=window.hacked=1>', 'javascript:window.hacked=1', '{{7*7}}${window.hacked=1}',
    '</textarea><script>window.hacked=1</script>', '<iframe srcdoc="<script>1</script>">')


class Page:
    """The opened page, by what it shows."""

    def __init__(self, browser, served, fragment: str = '') -> None:
        self.browser = browser
        browser.get('about:blank')
        browser.get(f'http://{served.address}/{fragment}')
        wait_until(lambda: self.text('connection') in ('live', 'recording', 'robot is silent'))

    def text(self, element_id: str) -> str:
        """Return the visible text, and what only scrolling would bring into view."""
        element = self.browser.find_element(By.ID, element_id)
        return ' '.join(element.get_property('textContent').split())

    def script(self, code: str):
        return self.browser.execute_script(code)

    def key(self, *keys: str) -> None:
        self.browser.find_element(By.ID, 'timeline').send_keys(*keys)

    def frames(self, camera: int = 0) -> list[str]:
        return self.script(
            f"return [...document.querySelectorAll('.strip:nth-child({camera + 1}) .slot')]"
            ".map(slot => slot.querySelector('img').hidden ? slot.className :"
            " slot.querySelector('img').src)")

    def confirm(self) -> None:
        wait_until(lambda: self.browser.find_element(By.ID, 'confirm-yes').is_displayed())
        self.browser.find_element(By.ID, 'confirm-yes').click()

    def errors(self) -> list[str]:
        return [entry['message'] for entry in self.browser.get_log('browser')
                if entry['level'] == 'SEVERE']


def tell_memory(recorder: Recorder, now: float, memory: str, subtask: str = 'look') -> None:
    recorder.high_level(now, HighLevelState(
        episode='e', step=0, stamp=now, goal='tidy up', previous_subtask='', subtask=subtask,
        previous_memory='', memory=memory, memory_version=int(now), status='ok', source='test'))


@pytest.fixture(autouse=True)
def no_script_errors(browser):
    browser.get_log('browser')
    yield
    assert [entry['message'] for entry in browser.get_log('browser')
            if entry['level'] == 'SEVERE' and entry['source'] != 'network'] == []


def test_page_tells_goal_subtask_memory_and_health(browser, detailed):
    page = Page(browser, detailed)
    assert page.text('goal') == 'Put the groceries away, then wipe the counter'
    assert page.text('subtask') == 'put the milk into the fridge'
    wait_until(lambda: 'I opened the fridge.' in page.text('memory'))
    assert page.text('gate') == 'may move'
    assert 'p95' in page.text('latency')
    assert 'camera rear' in page.text('inputs')
    wait_until(lambda: page.text('versions').startswith('v1'))
    assert page.script('return document.querySelectorAll("#joints canvas").length') == 7


def test_change_of_the_memory_is_marked_word_by_word(browser, served):
    page = Page(browser, served)
    tell_memory(served.recorder, 11.0, 'the blue cup is clean')
    wait_until(lambda: page.text('memory') == 'the blue cup is clean')
    tell_memory(served.recorder, 12.0, 'the cup is clean and dry')
    wait_until(lambda: page.text('memory') == 'the cup is clean and dry')
    marked = page.script("return [...document.querySelectorAll('#memory ins')]"
                         ".map(node => node.textContent)")
    assert marked == ['and dry']
    assert page.text('compressed') == 'Compressed away: blue'
    wait_until(lambda: 'the blue cup is clean and dry' in page.text('versions'))


def test_news_appear_on_the_page_without_delay(browser, served):
    page = Page(browser, served)
    page.script('''
        window.seen = null;
        new MutationObserver(() => { window.seen = Date.now(); })
            .observe(document.getElementById('subtask'), {childList: true, subtree: true});
    ''')
    delays = []
    for index in range(5):
        page.script('window.seen = null')
        told = time.time()
        tell_memory(served.recorder, 11.0 + index, 'm', f'step {index}')
        wait_until(lambda: page.script('return window.seen') is not None)
        delays.append(page.script('return window.seen') / 1000 - told)
    assert sorted(delays)[2] < 0.2


def test_cursor_moves_film_strip_memory_and_clock(browser, detailed):
    page = Page(browser, detailed)
    wait_until(lambda: str(page.frames()).count('/frames/') == 6)
    newest = page.frames()
    page.key(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    wait_until(lambda: page.text('clock') == '0:00:02.0')
    wait_until(lambda: page.frames()[0] == 'slot padded')
    assert page.frames()[-1] not in newest
    assert page.text('memory') == 'nothing yet'
    assert page.text('connection') == 'looking back'
    page.key(Keys.END)
    wait_until(lambda: page.frames() == newest)
    assert 'I opened the fridge.' in page.text('memory')


def test_shown_past_does_not_move_while_the_robot_goes_on(browser, detailed):
    page = Page(browser, detailed)
    page.key(Keys.HOME, Keys.ARROW_RIGHT)
    wait_until(lambda: page.text('clock') == '0:00:01.0')
    detailed.run.advance(14.0)
    wait_until(lambda: page.script(
        "return document.getElementById('timeline').getAttribute('aria-valuemax')") == '14')
    assert page.text('clock') == '0:00:01.0'
    assert page.text('subtask') == 'open the fridge'
    browser.find_element(By.ID, 'go-live').click()
    wait_until(lambda: page.text('clock') == '0:00:14')


def test_click_on_the_timeline_sets_the_cursor_and_keys_zoom(browser, served):
    page = Page(browser, served)
    canvas = browser.find_element(By.ID, 'timeline')
    webdriver.ActionChains(browser).move_to_element(canvas).click().perform()
    wait_until(lambda: page.text('connection') == 'looking back')
    value = page.script("return document.getElementById('timeline').ariaValueNow")
    assert 3 <= int(value) <= 7
    page.key('+', '+', ']', '[')
    assert page.script("return document.querySelectorAll('#zoom [aria-pressed=true]').length") == 0


@pytest.mark.parametrize('payload', PAYLOADS)
def test_markup_stays_text_everywhere(browser, served, payload):
    recorder = served.recorder
    recorder.goal(11.0, payload)
    tell_memory(recorder, 11.0, f'old {payload}', payload)
    tell_memory(recorder, 12.0, f'new {payload}', payload)
    recorder.gate(12.0, payload, payload)
    recorder.score(12.0, payload)
    recorder.diagnostic(12.0, payload, 2, payload)
    recorder.edit(12.0, payload, payload)
    recorder.joints(12.0, 12.0, [payload], [0.0])
    page = Page(browser, served)
    wait_until(lambda: page.text('subtask') == payload)
    for element in ('memory', 'score', 'gate', 'nodes', 'events', 'joints'):
        wait_until(lambda name=element: payload in page.text(name))
    wait_until(lambda: page.text('versions').count(payload) >= 2)
    assert page.script('return window.hacked') is None
    assert page.script("return document.querySelectorAll('main script, main iframe, main svg"
                       " [onload], main img[onerror]').length") == 0


def test_inline_script_is_blocked_by_the_policy(browser, served):
    page = Page(browser, served)
    page.script('''
        const script = document.createElement('script');
        script.textContent = 'window.hacked = 1';
        document.body.append(script);
    ''')
    assert page.script('return window.hacked') is None
    assert any('Content Security Policy' in error for error in page.errors())


def test_edit_with_the_token_reaches_the_robot_after_confirmation(browser, served):
    page = Page(browser, served, f'#token={TOKEN}')
    assert 'token' not in browser.current_url
    goal = browser.find_element(By.ID, 'new-goal')
    goal.clear()
    goal.send_keys('water the plants')
    browser.find_element(By.CSS_SELECTOR, '[data-action=set_goal]').click()
    wait_until(lambda: page.text('confirm-text') == 'water the plants')
    assert served.performed == []
    page.confirm()
    wait_until(lambda: served.performed == [('set_goal', 'water the plants')])
    wait_until(lambda: page.text('goal') == 'water the plants')
    browser.find_element(By.CSS_SELECTOR, '[data-action=undo]').click()
    page.confirm()
    wait_until(lambda: page.text('goal').startswith('Put the groceries'))


def test_edit_without_the_token_does_not_reach_the_robot(browser, served):
    page = Page(browser, served)
    browser.find_element(By.CSS_SELECTOR, '[data-action=hold]').click()
    page.confirm()
    wait_until(lambda: page.text('control-result') == 'Refused: Wrong or missing token.')
    assert served.performed == []


def test_cancelled_edit_does_nothing(browser, served):
    page = Page(browser, served, f'#token={TOKEN}')
    browser.find_element(By.CSS_SELECTOR, '[data-action=reset]').click()
    wait_until(lambda: browser.find_element(By.ID, 'confirm-no').is_displayed())
    browser.find_element(By.ID, 'confirm-no').click()
    wait_until(lambda: not browser.find_element(By.ID, 'confirm-yes').is_displayed())
    assert page.text('control-result') == ''
    assert served.performed == []


def test_old_version_can_be_rolled_back_from_the_list(browser, served):
    tell_memory(served.recorder, 11.0, 'one')
    tell_memory(served.recorder, 12.0, 'two')
    page = Page(browser, served, f'#token={TOKEN}')
    wait_until(lambda: len(browser.find_elements(By.CSS_SELECTOR, '#versions li')) == 3)
    older = browser.find_elements(By.CSS_SELECTOR, '#versions li')[1]
    older.find_element(By.CSS_SELECTOR, 'button').click()
    page.confirm()
    wait_until(lambda: served.performed == [('set_memory', 'one')])


def test_page_without_editing_shows_no_controls(browser, read_only):
    page = Page(browser, read_only)
    assert page.script("return document.getElementById('controls').hidden")


def test_two_hours_keep_the_page_quick_and_small(browser):
    recorder = Recorder()
    run = DemoRun(recorder, is_detailed=False)
    run.advance(7200.0 - 20.0)
    run.is_detailed = True
    run.advance(7200.0)
    served = serve(recorder, run, None)
    try:
        page = Page(browser, served)
        zoom_all = browser.find_element(By.CSS_SELECTOR, '#zoom button:last-child')
        zoom_all.click()
        slowest = page.script('''
            const canvas = document.getElementById('timeline');
            const times = [];
            for (let step = 0; step < 20; step += 1) {
              const begin = performance.now();
              canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'PageUp'}));
              times.push(performance.now() - begin);
            }
            return times.sort((a, b) => a - b)[10];
        ''')
        assert slowest < 100.0
        wait_until(lambda: page.text('clock').startswith('1:40:0'))
        nodes = page.script("return document.querySelectorAll('*').length")
        page.key(Keys.END)
        run.advance(7205.0)
        wait_until(lambda: page.text('clock') == '2:00:05')
        assert nodes < 2500
        assert page.script("return document.querySelectorAll('*').length") < 2500
    finally:
        served.server.stop()


def test_phone_needs_no_sideways_scrolling(browser, detailed):
    size = browser.get_window_size()
    try:
        browser.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
            'width': 360, 'height': 740, 'deviceScaleFactor': 1, 'mobile': True})
        page = Page(browser, detailed)
        assert page.script('return document.documentElement.scrollWidth') <= 360
    finally:
        browser.execute_cdp_cmd('Emulation.clearDeviceMetricsOverride', {})
        browser.set_window_size(size['width'], size['height'])


def test_dark_and_light_follow_the_system_and_the_button(browser, served):
    background = 'return getComputedStyle(document.body).backgroundColor'
    try:
        browser.execute_cdp_cmd('Emulation.setEmulatedMedia', {
            'features': [{'name': 'prefers-color-scheme', 'value': 'dark'}]})
        page = Page(browser, served)
        dark = page.script(background)
        browser.find_element(By.ID, 'theme').click()
        light = page.script(background)
        assert dark == 'rgb(21, 23, 26)'
        assert light == 'rgb(244, 243, 239)'
        page.script('localStorage.clear()')
    finally:
        browser.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': []})


def test_page_says_when_the_inspector_is_gone(browser, served):
    page = Page(browser, served)
    served.server.stop()
    wait_until(lambda: page.text('connection') == 'inspector is gone')
