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
Where episodes that run side by side bring their questions, to be answered in batches.

Every episode has a thread and a seat. Threads run by turns, never at once: one gives up its turn
when it asks, and the desk answers when every seat waits. What an episode sees and does depends on
its answers alone, so the order of the turns changes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from threading import Condition, Lock
from typing import Any

from mem_vla_ros.core.errors import MemVlaError

#: Answers the questions of some seats.
Service = Callable[[Mapping[int, Any]], Mapping[int, Any]]


class DeskClosedError(MemVlaError):
    """Raised in threads that ask after the end."""


class QuestionDesk:
    """
    Collects questions until nobody can go on without an answer.

    :param services: Which answer questions, the more urgent first: those of later ones wait, so
        that seats which only then come to them are answered in the same batch.
    """

    def __init__(self, services: Sequence[Service]) -> None:
        self._services = tuple(services)
        #: Held by whoever runs.
        self.turn = Lock()
        self._all_wait = Condition(self.turn)
        self._answered = Condition(self.turn)
        self._seats: set[int] = set()
        self._asked: dict[int, tuple[int, Any]] = {}
        self._answers: dict[int, Any] = {}
        self._closed = False

    def join(self, seat: int) -> None:
        """Wait for this seat from now on."""
        self._seats.add(seat)

    def leave(self, seat: int) -> None:
        """No longer wait for this seat."""
        self._seats.discard(seat)
        self._all_wait.notify()

    def close(self) -> None:
        """End every thread that asks from now on, or has asked."""
        self._closed = True
        self._answered.notify_all()

    def ask(self, seat: int, service: int, question: Any) -> Any:
        """
        Return the answer; others have their turns meanwhile.

        :raises DeskClosedError: if there will be none.
        """
        self._asked[seat] = (service, question)
        if self._nobody_runs():
            self._all_wait.notify()
        self._answered.wait_for(lambda: self._closed or seat in self._answers)
        if self._closed:
            raise DeskClosedError
        answer = self._answers.pop(seat)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def serve(self) -> bool:
        """Answer one batch once every seat waits; False if nobody is left."""
        self._all_wait.wait_for(self._nobody_runs)
        for number, service in enumerate(self._services):
            questions = {
                seat: question for seat, (wanted, question) in sorted(self._asked.items())
                if wanted == number}
            if questions:
                self._answers.update(_answers_of(service, questions))
                for seat in questions:
                    del self._asked[seat]
                self._answered.notify_all()
                break
        return bool(self._seats)

    def _nobody_runs(self) -> bool:
        return self._seats == self._asked.keys()


def _answers_of(service: Service, questions: Mapping[int, Any]) -> Mapping[int, Any]:
    try:
        return service(questions)
    except Exception as error:
        return dict.fromkeys(questions, error)
