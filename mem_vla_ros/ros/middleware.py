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

"""Environment that Fast DDS needs for large images."""

from collections.abc import Mapping

PROFILE_VARIABLES = ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE')


def fastdds_environment(environ: Mapping[str, str], profile: str) -> dict[str, str]:
    """Return what to set, nothing if the user has a profile or another middleware."""
    if any(name in environ for name in PROFILE_VARIABLES):
        return {}
    if environ.get('RMW_IMPLEMENTATION', 'rmw_fastrtps_cpp') != 'rmw_fastrtps_cpp':
        return {}
    return {'FASTRTPS_DEFAULT_PROFILES_FILE': profile}
