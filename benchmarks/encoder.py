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
Latency of the video memory against the number of frames, like the paper's latency figure.

Four cameras; a SigLIP of 12 layers and 196 patches; Gemma 3 layers as the backbone. Compared:
frames encoded singly and concatenated into the backbone (naive), the paper's window encoder, and
the streaming encoder. Times are CPU seconds of one thread, which other programs disturb less than
the wall clock; every round measures all of them, ratios are medians over the rounds.
"""

import argparse
import ctypes
from datetime import date
import json
import os
from pathlib import Path
from statistics import median
import sys

from alternating import measure, ratio, Run, Seconds
import torch
from torch import Tensor
from transformers import Gemma3TextConfig, Gemma3TextModel, SiglipVisionConfig, SiglipVisionModel

from mem_vla_ros.evaluation.result_plots import latency_figure
from mem_vla_ros.models.attention_masks import block_mask, positions_of
from mem_vla_ros.models.gemma_attention import layer_contexts, run_backbone
from mem_vla_ros.models.streaming_encoder import StreamingEncoder
from mem_vla_ros.models.video_encoder import VideoEncoder

CAMERAS, PIXELS, PATCH, POOLED = 4, 224, 16, 49
FRAMES = (1, 2, 6, 10, 18)
STREAMED = (*FRAMES, 64)
BARS = {
    'streaming_k18_over_k1': 1.10, 'streaming_k64_over_k1': 1.3, 'window_k1_over_stock': 1.05}
ROOT = Path(__file__).parents[1]
FIGURE = ROOT / 'docs' / 'figures' / 'encoder_latency.png'
RESULT = ROOT / 'results' / 'encoder.json'


def build_vit(width: int) -> SiglipVisionModel:
    """Return a random SigLIP with the depth and the patches of the base model."""
    return SiglipVisionModel(SiglipVisionConfig(
        hidden_size=width, intermediate_size=4 * width, num_hidden_layers=12,
        num_attention_heads=width // 64, image_size=PIXELS, patch_size=PATCH,
        vision_use_head=False)).eval()


def build_backbone() -> Gemma3TextModel:
    """Return four of gemma3-270m's 18 layers."""
    return Gemma3TextModel(Gemma3TextConfig(
        vocab_size=8, hidden_size=640, intermediate_size=2048, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=1, head_dim=256)).eval()


def read_tokens(backbone: Gemma3TextModel, frames: int) -> Run:
    """Return a pass of the backbone over the image tokens of so many frames."""
    count = frames * CAMERAS * POOLED
    embeds, valid = torch.randn(1, count, 640), torch.ones(1, count, dtype=torch.bool)

    def run() -> Tensor:
        position = positions_of(valid)
        mask = block_mask(torch.zeros(count, dtype=torch.long), valid)
        return run_backbone(
            backbone, embeds, layer_contexts(backbone, mask, position, position, False))[0]
    return run


def encode_singly(vit: SiglipVisionModel, frames: int) -> Run:
    """Return the stock ViT on every frame of every camera."""
    images = torch.randn(frames, CAMERAS, 3, PIXELS, PIXELS)
    return lambda: [vit(frame).last_hidden_state for frame in images]


def encode_window(vit: SiglipVisionModel, frames: int) -> Run:
    """Return the paper's encoder on a clip."""
    encoder = VideoEncoder(vit, 'window')
    images = torch.randn(1, CAMERAS, frames, 3, PIXELS, PIXELS)
    times = torch.arange(frames).double()[None, None]
    valid = torch.ones(1, CAMERAS, frames, dtype=torch.bool)
    return lambda: encoder.clip(images, times, valid)


def encode_stream(stream: StreamingEncoder) -> Run:
    """
    Return one step of a streaming encoder whose memory is full.

    It must be: slots never written are pages of zeros, which are read from the cache for free.
    """
    images, clock = torch.randn(CAMERAS, 3, PIXELS, PIXELS), iter(range(10 ** 9))

    def run() -> Tensor:
        return stream.step(images, torch.full((CAMERAS,), next(clock), dtype=torch.float64))
    for _ in range(stream.frames):
        run()
    return run


def peak_mib(run: Run) -> float:
    """Return by how much a run raises the process's memory at most [MiB] (Linux)."""
    ctypes.CDLL(None).malloc_trim(0)  # or freed memory would hide the rise
    Path('/proc/self/clear_refs').write_text('5')  # resets the peak
    before = _status('VmRSS')
    run()
    return round((_status('VmHWM') - before) / 1024, 1)


def _status(name: str) -> int:
    lines = Path('/proc/self/status').read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def save(figures: dict[str, object]) -> None:
    """Keep the figures for ``memvla results``."""
    origin = {'date': str(date.today()), 'machine': f'{os.cpu_count()} cores, no GPU used'}
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(figures | origin, indent=1) + '\n', encoding='utf-8')


def main() -> int:
    """Measure, print a table, draw the figure, and check the bars."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--width', type=int, default=384, help='width of the ViT')
    parser.add_argument('--rounds', type=int, default=7, help='rounds of the short runs')
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    with torch.no_grad():
        return report(options.width, options.rounds)


def report(width: int, rounds: int) -> int:
    """Print and check; return the exit code."""
    vit, backbone = build_vit(width), build_backbone()
    relative = VideoEncoder(vit, 'relative')
    streams = {k: StreamingEncoder(relative, CAMERAS, k) for k in STREAMED}
    short = {f'streaming {k}': encode_stream(stream) for k, stream in streams.items()}
    short |= {'stock': encode_singly(vit, 1), 'window 1': encode_window(vit, 1),
              'read 1': read_tokens(backbone, 1)}
    long = {}
    for k in FRAMES:
        long |= {f'window {k}': encode_window(vit, k), f'naive {k}': encode_singly(vit, k),
                 f'read {k}': read_tokens(backbone, k)}
    measure(short, 1)  # warm up
    fast, slow = measure(short, rounds), measure(long, 2)
    for k in FRAMES:
        slow[f'naive total {k}'] = [
            a + b for a, b in zip(slow[f'naive {k}'], slow[f'read {k}'], strict=True)]
    latency = latencies(fast, slow)
    print_table(latency)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    latency_figure(latency).savefig(FIGURE, dpi=120)
    runs = {name: (short | long)[name] for name in (
        'stock', 'window 18', 'naive 18', 'streaming 18', 'streaming 64')}
    memory = {
        'peak_mib': {name: peak_mib(run) for name, run in runs.items()},
        'held_mib': {k: round(streams[k].cached_bytes / 2 ** 20, 1) for k in (18, 64)}}
    print(f"peak memory of a step [MiB]: {memory['peak_mib']}")
    print(f"keys and values held by a stream of so many frames [MiB]: {memory['held_mib']}")
    result = ratios(fast, slow)
    missed = {name: bar for name, bar in BARS.items() if result[name] > bar}
    if missed:
        print(f'missed bars: {missed}')
    figures = {'benchmark': 'encoder', 'width': width, **result, **memory}
    save(figures | {'latency_s': latency})
    print(json.dumps(figures))
    return 1 if missed else 0


def latencies(fast: Seconds, slow: Seconds) -> dict[str, dict[int, float]]:
    """Return encoder and backbone together, by method and number of frames [s]."""
    read = median(fast['read 1'])
    return {
        'naive: every frame into the backbone': {
            k: median(slow[f'naive total {k}']) for k in FRAMES},
        'window encoder (paper)': {k: median(slow[f'window {k}']) + read for k in FRAMES},
        'streaming encoder (ours)': {k: median(fast[f'streaming {k}']) + read for k in STREAMED}}


def ratios(fast: Seconds, slow: Seconds) -> dict[str, float]:
    """Return the figures of merit: encoders alone, the naive way with the backbone it loads."""
    return {
        'streaming_k18_over_k1': ratio(fast, 'streaming 18', 'streaming 1'),
        'streaming_k64_over_k1': ratio(fast, 'streaming 64', 'streaming 1'),
        'streaming_k1_over_stock': ratio(fast, 'streaming 1', 'stock'),
        'window_k1_over_stock': ratio(fast, 'window 1', 'stock'),
        'window_k18_over_k1': ratio(slow, 'window 18', 'window 1'),
        'naive_k18_over_k1': ratio(slow, 'naive total 18', 'naive total 1')}


def print_table(latency: dict[str, dict[int, float]]) -> None:
    """Print milliseconds, one row per method."""
    print(f"{'encoder + backbone [ms CPU], frames:':<38}" + ''.join(f'{k:>8}' for k in STREAMED))
    for name, line in latency.items():
        cells = (f'{1e3 * line[k]:8.0f}' if k in line else f"{'-':>8}" for k in STREAMED)
        print(f'{name:<38}' + ''.join(cells))


if __name__ == '__main__':
    sys.exit(main())
