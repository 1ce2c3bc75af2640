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

"""What all tests share: a ROS domain of their own, and patience."""

import fcntl
import os
from pathlib import Path
import tempfile

from hypothesis import settings
import pytest

# Domains above 101 can collide with the ports that Linux gives to clients.
DOMAINS = range(1, 100)

_lock = None

# A busy machine is no failure: examples may take as long as they need.
settings.register_profile('patient', deadline=None)
settings.load_profile('patient')


def pytest_sessionstart(session):
    """
    Give this test process a ROS domain that no other test process on the machine uses.

    The lock goes with the process, however it ends.
    """
    global _lock
    for domain in DOMAINS:
        path = Path(tempfile.gettempdir()) / f'mem_vla_ros_test_domain_{domain}.lock'
        _lock = path.open('w')
        try:
            fcntl.flock(_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            _lock.close()
            continue
        os.environ['ROS_DOMAIN_ID'] = str(domain)
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        return
    pytest.exit(f'All ROS domains from {DOMAINS.start} to {DOMAINS.stop - 1} are in use.')


@pytest.fixture(scope='session')
def domain_id():
    """Return the ROS domain of this test process."""
    return int(os.environ['ROS_DOMAIN_ID'])
