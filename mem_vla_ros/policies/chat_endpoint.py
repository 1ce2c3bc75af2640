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
Client of any OpenAI-compatible chat endpoint, with hard limits on time and size.

One request at a time over the standard library; redirects are not followed, so the key goes to
the configured host only.
"""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
import http.client
import json
import os
import time
from typing import Any
from urllib.parse import urlsplit

import cv2
import numpy as np

from mem_vla_ros.core.errors import ConfigError, PolicyError
from mem_vla_ros.core.text import escape_unsafe
from mem_vla_ros.core.types import ImageArray
from mem_vla_ros.policies.chat_model import ChatMessage
from mem_vla_ros.policies.deadline_socket import DeadlineSocket
from mem_vla_ros.policies.high_level_answer import MalformedAnswer, OversizedAnswer

_RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})


class EndpointError(PolicyError):
    """
    The endpoint cannot be reached or refuses.

    :param retry_after_s: Earliest time for another try [s]; None if another try is useless.
    """

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True)
class EndpointConfig:
    """
    Where the endpoint is and how patient to be.

    :param base_url: Such as ``http://127.0.0.1:8000/v1``.
    :param timeout_s: Limit of one try, from connecting to the last byte [s].
    :param retries: Further tries after a failed one; 0 tries once.
    :param backoff_s: Wait before the first further try [s]; doubles every time.
    :param max_backoff_s: Longest wait, whatever the endpoint asks for [s].
    :param key_variable: Name of the environment variable that holds the key; empty sends none.
    """

    base_url: str
    model: str
    timeout_s: float = 20.0
    retries: int = 2
    backoff_s: float = 0.5
    max_backoff_s: float = 8.0
    max_response_bytes: int = 1_000_000
    key_variable: str = ''
    jpeg_quality: int = 90

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        # CHECK: the address is one
        if parts.scheme not in ('http', 'https') or not parts.hostname:
            raise ConfigError(
                f'base_url must be http://host/... or https://host/... Got {self.base_url!r}.')
        # CHECK: the model has a name
        if not self.model:
            raise ConfigError('model is empty; expected a name that the endpoint knows.')
        # CHECK: limits are positive
        if self.timeout_s <= 0 or self.retries < 0 or self.max_response_bytes < 1:
            raise ConfigError(
                'timeout_s and max_response_bytes must be above 0, retries 0 or more. '
                f'Got {self.timeout_s}, {self.max_response_bytes}, {self.retries}.')
        # CHECK: the key is there
        if self.key_variable and not os.environ.get(self.key_variable):
            raise ConfigError(
                f'Environment variable {self.key_variable} is not set; it must hold the key.')


class ChatEndpoint:
    """
    Implements ``ChatModel`` over HTTP.

    :param sleep: Waits between tries; tests pass their own.
    """

    def __init__(
        self, config: EndpointConfig, sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.config = config
        self._sleep = sleep

    def complete(self, messages: Sequence[ChatMessage], max_tokens: int) -> str:
        """
        Return the answer to the last message.

        :raises OversizedAnswer: if the answer is cut at ``max_tokens`` or the response is huge.
        :raises MalformedAnswer: if the response is not a chat completion.
        :raises EndpointError: if every try failed.
        """
        body = json.dumps({
            'model': self.config.model,
            'messages': [self._encode(message) for message in messages],
            'max_tokens': max_tokens,
            'temperature': 0.0,
            'stream': False,
        }).encode()
        return _read_answer(self._post_with_retries(body))

    def _post_with_retries(self, body: bytes) -> bytes:
        wait = self.config.backoff_s
        for tries_left in range(self.config.retries, -1, -1):
            try:
                return self._post(body)
            except EndpointError as error:
                if error.retry_after_s is None or not tries_left:
                    raise
                self._sleep(min(max(wait, error.retry_after_s), self.config.max_backoff_s))
                wait *= 2
        raise AssertionError('unreachable: the last try returns or raises')

    def _post(self, body: bytes) -> bytes:
        url = urlsplit(self.config.base_url)
        deadline = time.monotonic() + self.config.timeout_s
        connect = (
            http.client.HTTPSConnection if url.scheme == 'https' else http.client.HTTPConnection)
        connection = connect(url.hostname or '', url.port, timeout=self.config.timeout_s)
        connection.response_class = lambda sock, **options: http.client.HTTPResponse(
            DeadlineSocket(sock, deadline), **options)
        try:
            path = url.path.rstrip('/') + '/chat/completions'
            connection.request('POST', path, body, self._headers())
            with connection.getresponse() as response:
                return self._read(response)
        except TimeoutError as error:
            raise EndpointError(
                f'Endpoint {url.netloc} gave no whole answer within {self.config.timeout_s} s.',
                retry_after_s=0.0) from error
        except (OSError, http.client.HTTPException) as error:
            raise EndpointError(
                f'Endpoint {url.netloc} failed: {type(error).__name__}: {error}',
                retry_after_s=0.0) from error
        finally:
            connection.close()

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        limit = self.config.max_response_bytes
        data = response.read(limit + 1)
        if len(data) > limit:
            raise OversizedAnswer(f'Response is too long: allowed {limit} bytes.')
        if response.status != http.client.OK:
            raise EndpointError(
                f'Endpoint answered {response.status}: '
                f'{escape_unsafe(data[:200].decode(errors="replace"))}',
                _retry_after(response) if response.status in _RETRIED else None)
        # An end within the headers looks like an empty answer.
        if response.length or not data:
            raise http.client.IncompleteRead(data, response.length)
        return data

    def _headers(self) -> dict[str, str]:
        headers = {'Content-Type': 'application/json', 'Accept': 'application/json'}
        if self.config.key_variable:
            headers['Authorization'] = f'Bearer {os.environ[self.config.key_variable]}'
        return headers

    def _encode(self, message: ChatMessage) -> dict[str, Any]:
        if not message.images:
            return {'role': message.role, 'content': message.text}
        parts: list[dict[str, Any]] = [
            {'type': 'image_url', 'image_url': {
                'url': data_url(image, self.config.jpeg_quality)}}
            for image in message.images]
        return {'role': message.role, 'content': [*parts, {'type': 'text', 'text': message.text}]}


def data_url(image: ImageArray, jpeg_quality: int) -> str:
    """Return an RGB image as a JPEG data URL."""
    good, jpeg = cv2.imencode(
        '.jpg', cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2BGR),
        [cv2.IMWRITE_JPEG_QUALITY, jpeg_quality])
    if not good:
        raise PolicyError(f'Image of shape {image.shape} cannot be encoded as JPEG.')
    return f'data:image/jpeg;base64,{base64.b64encode(jpeg.tobytes()).decode()}'


def _retry_after(response: http.client.HTTPResponse) -> float:
    value = response.getheader('Retry-After', '')
    return float(value) if value.isdecimal() else 0.0


def _read_answer(data: bytes) -> str:
    try:
        choice = json.loads(data)['choices'][0]
        text, reason = choice['message']['content'], choice.get('finish_reason')
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise MalformedAnswer(
            f'Response is not a chat completion: {type(error).__name__}.') from error
    if not isinstance(text, str):
        raise MalformedAnswer(f'Answer must be text. Got {type(text).__name__}.')
    if reason == 'length':
        raise OversizedAnswer('Answer was cut at the token limit.')
    return text
