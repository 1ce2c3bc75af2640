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

"""``memvla inspect``: look at a recording or a bag with the inspector's page."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mem_vla_ros.inspector.recorder import Recorder

_PICTURE_PX = 128


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        'inspect', help='look at a recording or a bag with the inspector, see docs/inspector.md')
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument('recording', nargs='?', type=Path,
                      help='folder of a recording, a bag folder, or a .mcap or .db3 file')
    what.add_argument('--demo', action='store_true', help='show an invented run, live')
    parser.add_argument('--robot', type=Path, help='robot file; needed for a bag')
    parser.add_argument('--remap', action='append', default=[], metavar='NAME:=TOPIC',
                        help='topic of the robot file -> topic of the bag')
    parser.add_argument('--host', default='127.0.0.1', help='address to serve the page on')
    parser.add_argument('--port', type=int, default=8770,
                        help='port of the page; the next free one if taken, any if 0')
    how = parser.add_mutually_exclusive_group()
    how.add_argument('--lines', action='store_true', help='print what happened, and end')
    how.add_argument('--rerun', type=Path, metavar='FILE.rrd',
                     help='write a file for the Rerun viewer, and end; needs rerun-sdk')
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show, print or export; return 0."""
    from mem_vla_ros.inspector.recorder import Recorder

    recorder = Recorder() if args.demo else _open(args)
    if args.lines:
        from mem_vla_ros.inspector.terminal import TerminalView
        TerminalView(recorder).refresh()
    elif args.rerun:
        from mem_vla_ros.inspector.rerun_export import export_rerun
        export_rerun(recorder, args.rerun)
        print(f'wrote {args.rerun}; open it with: rerun {args.rerun}')
    else:
        _serve(recorder, args)
    return 0


def _open(args: argparse.Namespace) -> 'Recorder':
    from mem_vla_ros.inspector.recording import EVENTS_FILE, open_recording

    folder = args.recording if args.recording.is_dir() else args.recording.parent
    if (folder / EVENTS_FILE).exists() and args.recording.suffix not in ('.mcap', '.db3'):
        return open_recording(args.recording)
    return _open_bag(args)


def _open_bag(args: argparse.Namespace) -> 'Recorder':
    from mem_vla_ros.core.errors import ConfigError
    from mem_vla_ros.core.robot import load_robot
    from mem_vla_ros.evaluation.bag_reader import BagReader
    from mem_vla_ros.evaluation.bag_storage import BagStorage
    from mem_vla_ros.inspector.recorder import Recorder

    if not args.recording.exists():
        raise ConfigError(f'{str(args.recording)!r} does not exist.')
    if args.robot is None:
        raise ConfigError(
            f'{str(args.recording)!r} is not a recording of the inspector. If it is a bag, name '
            'its robot file with --robot, such as config/robots/sim_arm.yaml.')
    pairs = [item.partition(':=') for item in args.remap]
    remaps = {name: topic for name, _, topic in pairs}
    recorder = Recorder()
    with BagStorage(args.recording) as storage:
        reader = BagReader(storage, load_robot(args.robot), remaps)
        for event in reader.events():
            _tell(recorder, event)
        notes = [*reader.notes, *storage.damage, *(
            f'{part}: {count} messages left out, {reader.reasons[part]}'
            for part, count in reader.rejected.items())]
    for note in notes:
        print(f'note: {note}')
    return recorder


def _tell(recorder: 'Recorder', event: object) -> None:
    """Tell the recorder one event of a bag."""
    from mem_vla_ros.core.states import HighLevelState, LowLevelState, StateRejected
    from mem_vla_ros.evaluation.bag_events import ChunkEvent, FrameEvent, JointEvent, TextEvent
    from mem_vla_ros.inspector.reduced_jpeg import reduced_jpeg

    if isinstance(event, FrameEvent):
        recorder.frame(
            event.time, event.camera, event.stamp, reduced_jpeg(event.image, _PICTURE_PX))
    elif isinstance(event, JointEvent):
        recorder.joints(event.time, event.stamp, event.names, event.positions.tolist())
    elif isinstance(event, ChunkEvent):
        recorder.chunk(event.time, event.chunk)
    elif isinstance(event, TextEvent) and event.part in ('goal', 'subtask', 'memory'):
        getattr(recorder, event.part)(event.time, event.text)
    elif isinstance(event, TextEvent) and event.part in ('hl_state', 'll_state'):
        try:
            if event.part == 'hl_state':
                recorder.high_level(event.time, HighLevelState.from_json(event.text))
            else:
                recorder.low_level(event.time, LowLevelState.from_json(event.text))
        except StateRejected as error:
            recorder.timeline.add_incident(recorder.latest, event.part, 'warn', str(error))


def _serve(recorder: 'Recorder', args: argparse.Namespace) -> None:
    from mem_vla_ros.inspector.server import InspectorServer

    server = InspectorServer(recorder, args.host, args.port, is_live=args.demo)
    print(f'Inspector page: {server.start()}   (Ctrl-C ends it)', flush=True)
    try:
        _stay(recorder, args.demo)
    except KeyboardInterrupt:
        pass
    finally:
        server.stop()


def _stay(recorder: 'Recorder', is_demo: bool) -> None:
    """Wait for Ctrl-C; meanwhile let the invented run go on."""
    import time

    from mem_vla_ros.inspector.demo_run import DemoRun

    run = DemoRun(recorder)
    start = time.monotonic()
    while True:
        if is_demo:
            run.advance(time.monotonic() - start)
        time.sleep(0.02 if is_demo else 1.0)
