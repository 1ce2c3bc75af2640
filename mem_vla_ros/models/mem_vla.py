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
MemVLA: a vision-language-action model with video memory, one class for every size.

::

    images --> VisionMemory --> image tokens -+
    states --> one linear map, K tokens ------+--> Gemma 3 --> text (high level), FAST
    text ---> embeddings ---------------------+       | keys and values of every layer
                                                      v
    noise ------------------------------------> ActionExpert --> chunk (low level)

What others use:

- `encode_clip`, `encode_episode`, `encode_step`: images to image tokens;
- `prefix`: image tokens, states and text to cached keys and values;
- `sample_actions`: prefix to a chunk; `generate_text`: prefix to text;
- `loss`: a TrainingBatch to its losses.

States and actions are normalised by the caller (see normalisation), images are uint8 RGB.
The prefix always starts with `<bos>`; text ids come without it.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile

import torch
from torch import nn, Tensor
from torch.nn.functional import cross_entropy, linear
from transformers import Gemma3TextModel
from transformers.models.gemma3.modeling_gemma3 import Gemma3TextScaledWordEmbedding

from mem_vla_ros.models.action_expert import ActionExpert
from mem_vla_ros.models.attention_masks import block_mask, positions_of
from mem_vla_ros.models.batch import TrainingBatch
from mem_vla_ros.models.config import MemVlaConfig
from mem_vla_ros.models.errors import ShapeError
from mem_vla_ros.models.flow import integrate, noisy_chunk, sample_tau, target, to_velocity
from mem_vla_ros.models.gemma_attention import layer_contexts, run_backbone
from mem_vla_ros.models.prefix import ImageTokens, Prefix
from mem_vla_ros.models.rtc_guidance import Guidance
from mem_vla_ros.models.streaming_encoder import StreamingEncoder
from mem_vla_ros.models.text_tokenizer import pad_ids
from mem_vla_ros.models.vision_memory import VisionMemory

# So many samples pass through the backbone together: those of like length need little padding.
_TOGETHER = 32

_Sum = tuple[Tensor, Tensor]  # of errors, and of what they are divided by


class MemVLA(nn.Module):
    """Low-level and high-level policy network."""

    def __init__(self, config: MemVlaConfig) -> None:
        super().__init__()
        self.config = config
        text = config.text_config
        self.vision = VisionMemory(config)
        self.backbone = Gemma3TextModel(text)
        self.state_in = nn.Linear(config.state_dim, text.hidden_size)
        self.expert = ActionExpert(
            config.text, config.expert_width, config.expert_mlp, config.action_dim,
            2 * config.state_dim if config.expert_reads_motion else 0)
        if config.fast_vocab_size:
            # A table of its own beside the text's, with a start and an end token.
            self.fast = Gemma3TextScaledWordEmbedding(
                config.fast_vocab_size + 2, text.hidden_size, None, text.hidden_size ** 0.5)
            nn.init.normal_(self.fast.weight, std=text.initializer_range)

    @property
    def device(self) -> torch.device:
        """Return where the weights are."""
        return self.state_in.weight.device

    def encode_clip(self, images: Tensor, times: Tensor, valid: Tensor) -> ImageTokens:
        """
        Return the image tokens of the newest frame of each clip.

        :param images: uint8, or float in [-1, 1], (B, C, K, 3, H, W), newest last, any K.
        :param times: Stamps in seconds, float64 (B, C, K) or (B, 1, K); NaN where padded.
        :param valid: Frames that exist, bool (B, C, K).
        """
        self._check_images(images)
        return self.vision.clip(images, times, valid)

    def encode_episode(
        self, images: Tensor, times: Tensor, valid: Tensor, history: Tensor | None = None,
    ) -> ImageTokens:
        """
        Return the image tokens of every frame of long clips, encoding each frame once.

        :param images: (E, C, T, 3, H, W), at any frame rate.
        :param history: Which frames a frame reads, bool (E, C or 1, T, T); by default the
            ones nearest to the configured stride.
        :returns: Tokens (E, T, S, width); `pick` the steps to train on.
        """
        self._check_images(images)
        return self.vision.episode(images, times, valid, history)

    def stream(self, batch: int = 1, **options: float) -> StreamingEncoder:
        """Return an empty streaming memory for `encode_step`."""
        return self.vision.streaming(batch, **options)

    def encode_step(
        self, stream: StreamingEncoder, images: Tensor, times: Tensor, valid: Tensor,
    ) -> ImageTokens:
        """
        Return the image tokens of one new frame per camera, and remember it.

        :param images: (B, C, 3, H, W); times float64 (B, C); valid bool (B, C).
        """
        return self.vision.step(stream, images, times, valid)

    def _check_images(self, images: Tensor) -> None:
        size = self.config.vision_config.image_size
        want = (len(self.config.cameras), 3, size, size)
        if images.dim() != 6 or (images.shape[1], *images.shape[3:]) != want:
            raise ShapeError(
                f'Images must be (B, {want[0]}, T, 3, {size}, {size}). '
                f'Got {tuple(images.shape)}.')

    def prefix(
        self, images: ImageTokens | None, states: Tensor | None, state_valid: Tensor | None,
        text_ids: Tensor, text_valid: Tensor | None = None, velocity: Tensor | None = None,
    ) -> Prefix:
        """
        Return the keys and values of everything the model has seen.

        :param states: Normalised, (B, Ks, state_dim), newest last; only the newest
            `state_frames` are used. None for none.
        :param text_ids: Token ids without `<bos>`, (B, L), padded on the right.
        :param velocity: Of the joints, in units of the normalised state per second,
            (B, state_dim); for an expert that reads it.
        """
        embeds, valid, blocks = self._embed(images, states, state_valid, text_ids, text_valid)
        hidden, cache = self._run(embeds, valid, blocks)
        last = (valid * torch.arange(1, valid.shape[1] + 1, device=valid.device)).argmax(dim=1)
        return Prefix(hidden[torch.arange(len(last)), last], cache, valid,
                      self._motion(states, velocity))

    def _motion(self, states: Tensor | None, velocity: Tensor | None) -> Tensor | None:
        """Return the newest state and the velocity side by side; unknown velocities are 0."""
        if states is None or not self.config.expert_reads_motion:
            return None
        now = states[:, -1].float()
        return torch.cat([now, torch.zeros_like(now) if velocity is None else velocity], dim=1)

    def _embed(
        self, images: ImageTokens | None, states: Tensor | None, state_valid: Tensor | None,
        text_ids: Tensor, text_valid: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return embeddings (B, S, width), which exist (B, S), and block numbers (S,)."""
        bos = torch.full_like(text_ids[:, :1], self.backbone.config.bos_token_id)
        parts = [self.backbone.embed_tokens(bos)]
        valid = [torch.ones_like(bos, dtype=torch.bool)]
        if images is not None:
            parts.append(images.embeds)
            valid.append(images.valid)
        if states is not None:
            used = self.config.state_frames
            parts.append(self.state_in(states[:, -used:].to(self.state_in.weight.dtype)))
            valid.append(torch.ones_like(states[:, -used:, 0], dtype=torch.bool)
                         if state_valid is None else state_valid[:, -used:])
        seen = sum(p.shape[1] for p in parts)
        parts.append(self.backbone.embed_tokens(text_ids))
        valid.append(torch.ones_like(text_ids, dtype=torch.bool)
                     if text_valid is None else text_valid)
        blocks = torch.arange(1 - seen, text_ids.shape[1] + 1, device=text_ids.device)
        return torch.cat(parts, dim=1), torch.cat(valid, dim=1), blocks.clamp_min(0)

    def _run(self, embeds: Tensor, valid: Tensor, blocks: Tensor) -> tuple[Tensor, list]:
        position = positions_of(valid)
        contexts = layer_contexts(
            self.backbone, block_mask(blocks, valid), position, position, self._windowed)
        return run_backbone(self.backbone, embeds, contexts)

    @property
    def _windowed(self) -> bool:
        return self.config.attention_window == 'gemma'

    @torch.no_grad()
    def sample_actions(
        self, prefix: Prefix, steps: int | None = None, noise: Tensor | None = None,
        committed: Tensor | None = None, guidance: Guidance | None = None,
    ) -> Tensor:
        """
        Return a chunk for each row of the prefix, normalised, float32, (B, H, A).

        :param steps: Euler steps; the configured number by default.
        :param committed: Decided first rows, (B, d, A): training-time RTC.
        :param guidance: The running chunk to follow: inference-time RTC.
        """
        config = self.config
        if noise is None:
            noise = torch.randn(
                len(prefix.valid), config.horizon, config.action_dim, device=self.device)

        def velocity(chunk: Tensor, tau: Tensor) -> Tensor:
            return to_velocity(config.prediction, self.denoise(prefix, chunk, tau), chunk, tau)

        field = velocity if guidance is None else guidance.guide(velocity, config.horizon)
        return integrate(field, noise, steps or config.flow_steps, committed)

    def denoise(self, prefix: Prefix, chunk: Tensor, tau: Tensor) -> Tensor:
        """
        Return the expert's prediction for noisy chunks (B * N, H, A), tau (B * N, 1 or H).

        The N chunks of a row of the prefix stand one after the other. They share its keys and
        values, which are not copied, and do not read each other.
        """
        count, height = len(chunk) // len(prefix.valid), chunk.shape[1]
        rows = torch.arange(height, device=chunk.device).repeat(count)
        query = prefix.next_position + rows  # (B, N * H)
        key = torch.cat([prefix.positions, query], dim=1)
        own = torch.arange(count, device=chunk.device).repeat_interleave(height)
        mask = torch.cat([
            prefix.valid[:, None, :].expand(-1, len(own), -1),
            (own[:, None] == own).expand(len(query), -1, -1)], dim=2)
        contexts = layer_contexts(self.backbone, mask, query, key, self._windowed)
        return self.expert(chunk, tau, contexts, prefix.keys_values, prefix.motion)

    @torch.no_grad()
    def generate_text(
        self, prefix: Prefix, max_new_tokens: int, temperature: float = 0.0,
        drafts: Sequence[Sequence[int]] = (),
    ) -> list[list[int]]:
        """
        Return the token ids that follow each row of the prefix, without `<eos>`.

        :param temperature: 0 takes the likeliest token.
        :param drafts: For each row an answer that is likely, or nothing; none at all for none.
            What of it the model would write as well is taken over after one pass; it changes
            the time, not the text.
        """
        eos = self.backbone.config.eos_token_id
        stops = eos if isinstance(eos, list) else [eos]
        written: list[list[int]] = [[] for _ in prefix.hidden]
        drafts = [list(takewhile(lambda number: number not in stops, row))[:max_new_tokens - 1]
                  for row in drafts]
        if any(drafts) and temperature == 0:
            prefix, written = self._take_over(prefix, drafts)
        rows = list(range(len(written)))
        while True:
            token = self._choose(prefix.hidden, temperature)
            going = []
            for index, (row, number) in enumerate(zip(rows, token.tolist(), strict=True)):
                if number not in stops:
                    written[row].append(number)
                    if len(written[row]) < max_new_tokens:
                        going.append(index)
            if not going:
                return written
            if len(going) < len(rows):
                prefix, token = self._pick(prefix, going), token[going]
                rows = [rows[index] for index in going]
            prefix = self._append(prefix, token[:, None])[0]

    def logits(self, hidden: Tensor) -> Tensor:
        """Return the scores of the next text token; the head is the embedding table."""
        return linear(hidden, self.backbone.embed_tokens.weight)

    def _choose(self, hidden: Tensor, temperature: float) -> Tensor:
        logits = self.logits(hidden).float()
        if temperature == 0:
            return logits.argmax(dim=-1)
        return torch.multinomial((logits / temperature).softmax(dim=-1), 1)[:, 0]

    def _take_over(
        self, prefix: Prefix, drafts: Sequence[Sequence[int]],
    ) -> tuple[Prefix, list[list[int]]]:
        """Return the prefix with the parts of drafts that the model would write, and those."""
        ids, given = (part.to(self.device) for part in pad_ids(drafts))
        longer, hidden = self._append(prefix, ids)
        hidden = torch.cat([prefix.hidden[:, None], hidden], dim=1)
        agrees = given & (self._choose(hidden[:, :-1], 0.0) == ids)
        agrees = agrees.long().cumprod(dim=1).bool()
        counts = agrees.sum(dim=1)
        length = prefix.valid.shape[1] + int(counts.max())
        return Prefix(
            hidden[torch.arange(len(counts)), counts],
            [(k[:, :, :length], v[:, :, :length]) for k, v in longer.keys_values],
            # Where a row disagrees while others go on, its draft is padding.
            torch.cat([prefix.valid, agrees], dim=1)[:, :length],
        ), [list(row[:count]) for row, count in zip(drafts, counts.tolist(), strict=True)]

    @staticmethod
    def _pick(prefix: Prefix, rows: list[int]) -> Prefix:
        """Return some rows of a prefix to write on."""
        return Prefix(
            prefix.hidden[rows], [(k[rows], v[rows]) for k, v in prefix.keys_values],
            prefix.valid[rows])

    def _append(self, prefix: Prefix, ids: Tensor) -> tuple[Prefix, Tensor]:
        """Return the prefix with more text (B, L), and the backbone's output at that text."""
        read, length = prefix.valid.shape[1], ids.shape[1]
        valid = torch.cat([prefix.valid, torch.ones_like(ids, dtype=torch.bool)], dim=1)
        steps = torch.arange(length, device=ids.device)
        mask = valid[:, None, :].repeat(1, length, 1)
        mask[:, :, read:] = steps[:, None] >= steps
        contexts = layer_contexts(
            self.backbone, mask, prefix.next_position + steps, positions_of(valid),
            self._windowed)
        hidden, cache = run_backbone(
            self.backbone, self.backbone.embed_tokens(ids), contexts, prefix.keys_values)
        return Prefix(hidden[:, -1], cache, valid), hidden

    def loss(self, batch: TrainingBatch, noise_samples: int = 1) -> dict[str, Tensor]:
        """
        Return the losses by name: those of `flow`, `fast` and `text` that apply, and `total`.

        One backbone pass serves all of them. The expert reads the prefix without the FAST
        tokens, as it will at inference.

        :param noise_samples: Noisy chunks per action target; they share the prefix.
        """
        images = (self.encode_clip(batch.images, batch.times, batch.valid)
                  if batch.steps is None else
                  self.encode_episode(batch.images, batch.times, batch.valid, batch.history)
                  .pick(batch.steps))
        sums: dict[str, list[_Sum]] = defaultdict(list)
        for rows in batch.alike(_TOGETHER):
            parts = self._loss_sums(images.rows(rows), batch.pick(rows), noise_samples)
            for name, part in parts.items():
                sums[name].append(part)
        losses = {}
        for name, parts in sums.items():
            errors, weights = zip(*parts, strict=True)
            losses[name] = torch.stack(errors).sum() / torch.stack(weights).sum().clamp_min(1)
        losses['total'] = torch.stack(list(losses.values())).sum()
        return losses

    def _loss_sums(
        self, images: ImageTokens, batch: TrainingBatch, noise_samples: int,
    ) -> dict[str, _Sum]:
        """Return the losses of some samples, each as its sum and what that is to be divided by."""
        embeds, valid, blocks = self._embed(
            images, batch.states, batch.state_valid, batch.text_ids, batch.text_valid)
        length = embeds.shape[1]
        if batch.fast_ids is not None:
            embeds, valid, blocks = self._append_fast(embeds, valid, blocks, batch)
        hidden, cache = self._run(embeds, valid, blocks)
        sums = {}
        if batch.actions is not None:
            prefix = Prefix(hidden[:, length - 1], [
                (k[:, :, :length], v[:, :, :length]) for k, v in cache], valid[:, :length],
                self._motion(batch.states, batch.velocity))
            sums['flow'] = self._flow_loss(prefix, batch, noise_samples)
        if batch.fast_ids is not None:
            sums['fast'] = self._fast_loss(hidden[:, length:], batch)
        if batch.text_target is not None:
            sums['text'] = self._text_loss(hidden[:, :length], batch)
        return sums

    def _flow_loss(
        self, prefix: Prefix, batch: TrainingBatch, noise_samples: int,
    ) -> _Sum:
        if self.config.knowledge_insulation:
            prefix = prefix.detach()
        actions = batch.actions.repeat_interleave(noise_samples, 0)
        noise, tau = torch.randn_like(actions), sample_tau(len(actions), actions.device)
        counted = torch.ones_like(actions, dtype=torch.bool)
        if self.config.rtc_max_delay:
            free = self._free_rows(len(actions), actions.device)
            tau, counted = tau * free, counted & free[..., None]
        if batch.action_valid is not None:
            counted = counted & batch.action_valid.repeat_interleave(noise_samples, 0)
        weight = counted.to(actions.dtype)
        if batch.action_weight is not None:
            weight = weight * batch.action_weight
        output = self.denoise(prefix, noisy_chunk(actions, noise, tau), tau)
        error = (output - target(self.config.prediction, actions, noise)).square()
        return (error * weight).sum(), weight.sum()

    def _free_rows(self, count: int, device: torch.device) -> Tensor:
        """Return which rows are not committed, bool (count, H): training-time RTC."""
        delay = torch.randint(self.config.rtc_max_delay + 1, (count, 1), device=device)
        return torch.arange(self.config.horizon, device=device) >= delay

    def _append_fast(
        self, embeds: Tensor, valid: Tensor, blocks: Tensor, batch: TrainingBatch,
    ) -> tuple[Tensor, Tensor, Tensor]:
        ids = batch.fast_ids
        start = torch.full_like(ids[:, :1], self.config.fast_vocab_size)
        exists = torch.cat([torch.ones_like(start, dtype=torch.bool), batch.fast_valid], dim=1)
        later = blocks[-1] + 1 + torch.arange(exists.shape[1], device=blocks.device)
        return (
            torch.cat([embeds, self.fast(torch.cat([start, ids], dim=1))], dim=1),
            torch.cat([valid, exists], dim=1), torch.cat([blocks, later]))

    def _fast_loss(self, hidden: Tensor, batch: TrainingBatch) -> _Sum:
        """Return the cross-entropy of the FAST tokens and of the end after them."""
        end = self.config.fast_vocab_size + 1
        goal = batch.fast_ids.masked_fill(~batch.fast_valid, -100)
        goal = torch.cat([goal, torch.full_like(goal[:, :1], -100)], dim=1)
        count = batch.fast_valid.sum(dim=1, keepdim=True)
        goal.scatter_(1, count, torch.where(count > 0, end, -100))
        logits = linear(hidden[goal >= 0], self.fast.weight).float()
        errors = cross_entropy(logits, goal[goal >= 0], reduction='none')
        return errors.sum(), torch.ones_like(errors).sum()

    def _text_loss(self, hidden: Tensor, batch: TrainingBatch) -> _Sum:
        """Return the cross-entropy of the target tokens, each told from the token before it."""
        length = batch.text_ids.shape[1]
        before = hidden[:, -length - 1:-1]
        logits = self.logits(before[batch.text_target]).float()
        goal = batch.text_ids[batch.text_target]
        weight = torch.ones_like(hidden[:, 0, 0]) if batch.text_weight is None else (
            batch.text_weight)
        weight = weight[:, None].expand_as(batch.text_target)[batch.text_target]
        errors = cross_entropy(logits, goal, reduction='none')
        return (errors * weight).sum(), weight.sum()
