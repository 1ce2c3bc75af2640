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

"""One HTML page that needs nothing else: its frame, its tables and its drawings."""

from html import escape
from io import StringIO
from string import Template

import matplotlib
from matplotlib.figure import Figure

_PAGE = Template('''<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
 body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
        padding: 0 1rem; color: #222; background: #fff; }
 h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.2rem }
 table { border-collapse: collapse; width: 100%; font-size: .92rem }
 th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd }
 .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
 td.best { font-weight: 600 }
 figure { margin: 1.2rem 0; background: #fff; border-radius: 6px; padding: .4rem }
 figcaption { font-size: .9rem; color: #555 }
 svg { width: 100%; height: auto } pre { overflow-x: auto; font-size: .8rem }
 .notes { white-space: pre-wrap; font: inherit }
 .bad { background: #fdecea; border-left: 5px solid #c0392b; padding: .6rem 1rem }
 .good { background: #eaf6ec; border-left: 5px solid #2e8b57; padding: .6rem 1rem }
 .dim { color: #666; font-size: .9rem } .wide { overflow-x: auto }
 @media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181a1f } th, td { border-color: #3a3d44 }
  .bad { background: #40211e } .good { background: #1d3323 } .dim { color: #999 } }
</style></head><body>
<h1>$title</h1>
$body
</body></html>
''')


def html_page(title: str, body: str) -> str:
    """
    Return the page.

    :param title: Plain text.
    :param body: HTML.
    """
    return _PAGE.substitute(title=escape(title), body=body)


def html_figure(figure: Figure, caption: str) -> str:
    """Return a drawing, the same for the same data, with a plain text below it."""
    text = StringIO()
    # Without salt and date two drawings of the same data would differ.
    with matplotlib.rc_context({'svg.hashsalt': 'mem_vla_ros'}):
        figure.savefig(text, format='svg', metadata={'Date': None})
    svg = text.getvalue()[text.getvalue().index('<svg'):]
    return f'<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>'


def html_table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table; cells are HTML, see ``html_cell`` and ``html_number``."""
    numeric = [cell.startswith('<td class="number') for cell in (rows or [[]])[0]]
    cells = ''.join(
        f'<th{" class=number" if index < len(numeric) and numeric[index] else ""}>'
        f'{escape(item)}</th>' for index, item in enumerate(head))
    body = ''.join(f'<tr>{"".join(row)}</tr>' for row in rows)
    return f'<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>'


def html_cell(text: str) -> str:
    """Return a cell with plain text."""
    return f'<td>{escape(text)}</td>'


def html_number(text: str, best: bool = False) -> str:
    """Return a cell with a number, bold if it is the best of its row."""
    return f'<td class="number{" best" if best else ""}">{escape(text)}</td>'
