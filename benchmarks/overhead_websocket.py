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
The websocket side of `overhead.py`; runs in the environment of `openpi-client` alone.

The server does what openpi's does: metadata first, then one packed answer per packed observation.
"""

import argparse
import json
import threading
import time

import numpy as np
from openpi_client import msgpack_numpy
from openpi_client.websocket_client_policy import WebsocketClientPolicy
from websockets.sync.server import serve

CAMERAS = ('base', 'left_wrist', 'right_wrist', 'rear')
JOINTS = 7
ROWS = 16


def run_server(policy_ms: int) -> None:
    """Answer one client until it leaves, then say how busy the process was."""
    done = threading.Event()
    packer = msgpack_numpy.Packer()
    answer = packer.pack({'actions': np.zeros((ROWS, JOINTS))})
    times = {}

    def handle(connection):
        connection.send(packer.pack({'policy': 'constant'}))
        times['start'], times['used'] = time.monotonic(), time.process_time()
        try:
            for message in connection:
                observation = msgpack_numpy.unpackb(message)
                assert all(observation[camera].ndim == 4 for camera in CAMERAS)
                time.sleep(policy_ms / 1000.0)
                connection.send(answer)
        finally:
            done.set()

    with serve(handle, '127.0.0.1', 0, compression=None, max_size=None) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(json.dumps({'port': server.socket.getsockname()[1]}), flush=True)
        done.wait()
        elapsed = time.monotonic() - times['start']
        print(json.dumps({'cpu': (time.process_time() - times['used']) / elapsed}), flush=True)


def run_client(port: int, side: int, frames: int, seconds: float) -> None:
    """Ask ten times a second with K frames of each camera, and say how long answers took."""
    policy = WebsocketClientPolicy('127.0.0.1', port)
    images = np.random.default_rng(0).integers(
        0, 256, (len(CAMERAS), frames, side, side, 3), dtype=np.uint8)
    latencies_ms = []
    start, used = time.monotonic(), time.process_time()
    while time.monotonic() - start < seconds:
        stamp = time.perf_counter()
        policy.infer(dict(zip(CAMERAS, images, strict=True)) | {'state': np.zeros(JOINTS)})
        latencies_ms.append(1000.0 * (time.perf_counter() - stamp))
        time.sleep(max(0.0, 0.1 - latencies_ms[-1] / 1000.0))
    elapsed = time.monotonic() - start
    print(json.dumps({'latencies_ms': latencies_ms[1:] or latencies_ms,
                      'cpu': (time.process_time() - used) / elapsed}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--role', choices=('server', 'client'), required=True)
    parser.add_argument('--port', type=int, default=0)
    parser.add_argument('--side', type=int, default=448)
    parser.add_argument('--frames', type=int, default=6)
    parser.add_argument('--policy-ms', type=int, default=0)
    parser.add_argument('--seconds', type=float, default=6.0)
    arguments = parser.parse_args()
    if arguments.role == 'server':
        run_server(arguments.policy_ms)
    else:
        run_client(arguments.port, arguments.side, arguments.frames, arguments.seconds)


if __name__ == '__main__':
    main()
