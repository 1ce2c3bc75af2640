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

"""Handle: a part of a drawer or door that the gripper can hold."""

from dataclasses import dataclass

from mem_vla_ros.sim.scene.arm import HAND_BODY


@dataclass(frozen=True)
class Handle:
    """
    A handle on a body that slides or turns.

    :param name: As in subtask texts, such as ``top left drawer``.
    :param body: Body that it is fixed to.
    :param grasp: Point between the finger tips when held, in the frame of the body.
    :param joint: Joint that tells how far it is open.
    """

    name: str
    body: str
    grasp: tuple[float, float, float]
    joint: str
    half_width: float = 0.008

    @property
    def hold(self) -> str:
        """Return the name of the constraint with which the gripper holds it."""
        return f'hold {self.name}'

    def equality(self, holders: tuple[str, ...] = ()) -> str:
        """
        Return the constraints' XML.

        :param holders: Bodies besides the gripper that can hold it, such as a person's hand.
        """
        connects = [f'<connect name="{self.hold}" body1="{HAND_BODY}" body2="{self.body}"'
                    ' anchor="0 0 0" active="false"/>']
        connects += [f'<connect name="{holder} holds {self.name}" body1="{holder}"'
                     f' body2="{self.body}" anchor="0 0 0" active="false"/>'
                     for holder in holders]
        return ''.join(connects)
