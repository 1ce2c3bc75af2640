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

"""Chat with a language model, with or without images: what endpoints and local models share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mem_vla_ros.core.types import ImageArray


@dataclass(frozen=True)
class ChatMessage:
    """
    One message of a chat.

    :param role: ``system``, ``user`` or ``assistant``.
    :param images: RGB images (H, W, 3), shown before the text.
    """

    role: str
    text: str
    images: tuple[ImageArray, ...] = ()


class ChatModel(Protocol):
    """Answers a chat."""

    def complete(self, messages: Sequence[ChatMessage], max_tokens: int) -> str:
        """
        Return the answer to the last message.

        :raises OversizedAnswer: if the answer did not end within ``max_tokens``.
        :raises PolicyError: if there is no answer.
        """
        ...
