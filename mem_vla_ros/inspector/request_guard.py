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
Who may ask for what: checks that every request passes before a route sees it.

Reading needs a ``Host`` that no foreign page can have (DNS rebinding). Acting needs the token
that was printed in the terminal, a JSON body and the page's own ``Origin`` (forged requests).
"""

import hmac
import ipaddress
from urllib.parse import urlsplit

from aiohttp import hdrs, web

TOKEN_HEADER = 'X-Memvla-Token'
MAX_BODY_BYTES = 65_536
SECURITY_HEADERS = {
    'Content-Security-Policy':
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "object-src 'none'",
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
}


class RequestGuard:
    """
    Checks of one server.

    :param host: Name that the server was bound to; it may be used besides addresses.
    :param token: What an acting request must show; None refuses them all.
    """

    def __init__(self, host: str, token: str | None) -> None:
        self._names = {'localhost', host.lower()}
        self._token = token

    def check_host(self, request: web.Request) -> None:
        """Refuse a name that somebody else's DNS may have pointed here; addresses are fine."""
        name = _name_in(request.headers.get(hdrs.HOST, ''))
        if name not in self._names and not _is_address(name):
            raise web.HTTPForbidden(text='Unknown Host. Open the page by address or localhost.')

    def check_action(self, request: web.Request) -> None:
        """Refuse what does not come from this page with the token."""
        # CHECK: the server was started for editing, and the sender knows its token
        shown = request.headers.get(TOKEN_HEADER, '')
        if self._token is None:
            raise web.HTTPForbidden(text='Read-only: start with allow_edit:=true to act.')
        if not hmac.compare_digest(shown.encode(), self._token.encode()):
            raise web.HTTPForbidden(text='Wrong or missing token.')
        # CHECK: no plain form can send this type without asking first
        if request.content_type != 'application/json':
            raise web.HTTPForbidden(text='Content-Type must be application/json.')
        # CHECK: the sender is this page
        host = request.headers[hdrs.HOST]
        if request.headers.get(hdrs.ORIGIN) not in (f'http://{host}', f'https://{host}'):
            raise web.HTTPForbidden(text='Origin must be this page.')


async def add_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Set the headers that every answer carries."""
    response.headers.update(SECURITY_HEADERS)
    response.headers.setdefault('Cache-Control', 'no-store')
    response.headers['Server'] = 'memvla'


def _name_in(host: str) -> str:
    """Return the name or address without the port; empty for nonsense."""
    try:
        return urlsplit(f'//{host}').hostname or ''
    except ValueError:
        return ''


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
