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

"""Summary: mean and standard error of some values."""

from collections.abc import Sequence
from dataclasses import dataclass
import math
from statistics import fmean, stdev


@dataclass(frozen=True)
class Summary:
    """
    One figure over all episodes.

    :param standard_error: None with less than two episodes.
    """

    mean: float
    standard_error: float | None
    episodes: int

    @staticmethod
    def of(values: Sequence[float]) -> 'Summary':
        """Return mean and standard error of at least one value."""
        error = stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
        return Summary(fmean(values), error, len(values))

    def text(self) -> str:
        """Return the summary for a person."""
        if self.standard_error is None:
            return f'{self.mean:.4g}'
        return f'{self.mean:.4g} ± {self.standard_error:.2g}'

    def percent(self) -> str:
        """Return a summary of shares for a person."""
        if self.standard_error is None:
            return f'{100 * self.mean:.0f} %'
        return f'{100 * self.mean:.0f} ± {100 * self.standard_error:.0f} %'
