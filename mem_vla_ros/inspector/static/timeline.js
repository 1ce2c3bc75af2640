// The timeline: subtasks, memory versions and their length, faults, and the cursor.

import { clock } from './dom.js';
import { blockColour, fit, palette } from './palette.js';

export const LANES = {
  axis: { top: 0, height: 20 },
  subtasks: { top: 24, height: 46, label: 'subtasks' },
  memory: { top: 78, height: 24, label: 'memory versions' },
  length: { top: 108, height: 72, label: 'memory length, against a list of all subtasks' },
  faults: { top: 188, height: 26, label: 'gate, faults and edits' },
};
const STEPS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400];
// Closer than this on average, marks are drawn thin or not at all.
const DENSE_PX = 12;
const FONT = '11px system-ui, sans-serif';
const GATE_COLOURS = { OK: 'ok', WARN: 'warn', HOLD: 'warn', STOP: 'bad', FAULT: 'bad' };

/** Draw everything between view.from and view.to. */
export function drawTimeline(canvas, marks, view) {
  const { context, width, height } = fit(canvas);
  const colours = palette();
  const x = (time) => (width * (time - view.from)) / (view.to - view.from);
  const sheet = { context, width, height, colours, x, view };
  context.font = FONT;
  context.textBaseline = 'middle';
  drawAxis(sheet);
  drawEpisodes(sheet, marks);
  drawSubtasks(sheet, marks);
  drawVersions(sheet, marks);
  drawLengths(sheet, marks);
  drawFaults(sheet, marks);
  drawLabels(sheet);
  drawCursor(sheet);
}

function drawAxis({ context, width, height, colours, x, view }) {
  const span = view.to - view.from;
  const step = STEPS.find((candidate) => (width * candidate) / span >= 76) ?? 28800;
  context.strokeStyle = colours.line;
  context.fillStyle = colours.quiet;
  context.lineWidth = 1;
  const first = Math.ceil((view.from - view.start) / step) * step;
  for (let offset = first; offset <= view.to - view.start; offset += step) {
    const at = Math.round(x(view.start + offset)) + 0.5;
    vertical(context, at, 14, height);
    context.fillText(clock(offset), Math.min(at + 3, width - 42), 9);
  }
}

function drawEpisodes({ context, width, height, colours, x, view }, marks) {
  const episodes = marks.within('episode', view.from, view.to);
  if (episodes.length > width / DENSE_PX) return;
  context.strokeStyle = colours.quiet;
  context.setLineDash([2, 3]);
  for (const episode of episodes) {
    if (episode.time > view.from) vertical(context, x(episode.time), 14, height);
  }
  context.setLineDash([]);
}

function drawSubtasks({ context, width, colours, x, view }, marks) {
  const { top, height } = LANES.subtasks;
  const visible = marks.within('subtask', view.from, view.to);
  visible.forEach((subtask, index) => {
    if (!subtask.text) return;
    const left = Math.max(-2, x(subtask.time));
    const right = Math.min(width + 2, x(visible[index + 1]?.time ?? view.latest));
    const wide = Math.max(1, right - left - (right - left > 4 ? 1 : 0));
    context.fillStyle = blockColour(subtask.rank);
    context.beginPath();
    context.roundRect(left, top, wide, height, Math.min(5, wide / 2));
    context.fill();
    if (subtask.attempt > 1) drawAttempt(context, colours, subtask.attempt, left, wide);
    blockText(context, colours, subtask, left + 6, top, wide - 10);
  });
}

/** Another attempt at the same subtask: a bar under the block and, where it fits, its number. */
function drawAttempt(context, colours, attempt, left, wide) {
  const { top, height } = LANES.subtasks;
  context.fillStyle = colours.warn;
  context.fillRect(left, top + height - 4, wide, 4);
  if (wide < 24) return;
  context.save();
  context.beginPath();
  context.roundRect(left + wide - 18, top + height - 14, 18, 14, 4);
  context.fill();
  context.fillStyle = colours.card;
  context.font = 'bold 10px system-ui, sans-serif';
  context.fillText(`×${attempt}`, left + wide - 15, top + height - 7);
  context.restore();
}

function blockText(context, colours, subtask, left, top, wide) {
  if (wide < 24) return;
  context.save();
  context.beginPath();
  context.rect(left, top, wide, LANES.subtasks.height);
  context.clip();
  context.fillStyle = colours.text;
  context.font = '12px system-ui, sans-serif';
  const lines = wrap(context, subtask.text, wide);
  lines.forEach((text, index) => context.fillText(text, left, top + 13 + 15 * index));
  context.restore();
}

/** Break a text into at most two lines that fit, the second cut with an ellipsis. */
function wrap(context, text, wide) {
  const words = text.split(' ');
  let first = words.shift();
  while (words.length && context.measureText(`${first} ${words[0]}`).width <= wide) {
    first += ` ${words.shift()}`;
  }
  if (!words.length) return [cut(context, first, wide)];
  return [cut(context, first, wide), cut(context, words.join(' '), wide)];
}

function cut(context, text, wide) {
  if (context.measureText(text).width <= wide) return text;
  let shown = text.slice(0, Math.max(1, Math.ceil(wide / 4)));
  while (shown.length > 1 && context.measureText(`${shown}…`).width > wide) {
    shown = shown.slice(0, -1);
  }
  return `${shown}…`;
}

function drawVersions({ context, width, colours, x, view }, marks) {
  const { top, height } = LANES.memory;
  const middle = top + height / 2 + 3;
  const versions = marks.within('memory', view.from, view.to);
  const half = versions.length > width / DENSE_PX ? 1 : 6;
  for (const version of versions) {
    const at = x(version.time);
    context.fillStyle = version.source === 'person' ? colours.planned : colours.accent;
    context.beginPath();
    context.moveTo(at, middle - 6);
    context.lineTo(at + half, middle);
    context.lineTo(at, middle + 6);
    context.lineTo(at - half, middle);
    context.fill();
  }
}

function drawLengths(sheet, marks) {
  const { context, colours, x, view } = sheet;
  const { top, height } = LANES.length;
  const versions = marks.within('memory', view.from, view.to);
  const naive = marks.within('subtask', view.from, view.to);
  const lengths = versions.map((mark) => mark.chars).concat(naive.map((mark) => mark.naive_chars));
  const most = lengths.reduce((one, other) => Math.max(one, other), 1);
  const y = (chars) => top + height - (height - 16) * (chars / most);
  context.strokeStyle = colours.naive;
  context.lineWidth = 1.5;
  context.setLineDash([4, 3]);
  stairs(sheet, naive.map((mark) => [mark.time, y(mark.naive_chars)]));
  context.stroke();
  context.setLineDash([]);
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  stairs(sheet, versions.map((mark) => [mark.time, y(mark.chars)]));
  context.stroke();
  if (versions.length) {
    context.lineTo(x(view.latest), top + height);
    context.lineTo(x(versions[0].time), top + height);
    context.globalAlpha = 0.12;
    context.fillStyle = colours.accent;
    context.fill();
    context.globalAlpha = 1;
  }
  endLabels(sheet, versions.at(-1)?.chars, naive.at(-1)?.naive_chars, y);
}

function endLabels({ context, width, colours, x, view }, chars, naive, y) {
  const at = Math.min(x(view.latest) - 4, width - 4);
  context.textAlign = 'right';
  if (naive !== undefined) {
    context.fillStyle = colours.quiet;
    context.fillText(String(naive), at, y(naive) - 7);
  }
  if (chars !== undefined) {
    context.fillStyle = colours.accent;
    const isClose = naive !== undefined && Math.abs(y(naive) - y(chars)) < 14;
    context.fillText(String(chars), at, y(chars) + (isClose ? 8 : -7));
  }
  context.textAlign = 'left';
}

function stairs({ context, x, view }, points) {
  context.beginPath();
  points.forEach(([time, y], index) => {
    if (index) context.lineTo(x(time), points[index - 1][1]);
    context.lineTo(x(time), y);
  });
  if (points.length) context.lineTo(x(view.latest), points.at(-1)[1]);
}

function drawFaults({ context, colours, x, view }, marks) {
  const { top, height } = LANES.faults;
  const gates = marks.within('gate', view.from, view.to);
  gates.forEach((gate, index) => {
    const end = gates[index + 1]?.time ?? view.latest;
    context.fillStyle = colours[GATE_COLOURS[gate.level] ?? 'quiet'];
    context.globalAlpha = gate.level === 'OK' ? 0.35 : 1;
    context.fillRect(x(gate.time), top + height - 5, Math.max(1.5, x(end) - x(gate.time)), 5);
  });
  context.globalAlpha = 1;
  for (const incident of marks.within('incident', view.from, view.to)) {
    if (incident.level === 'ok') continue;
    context.fillStyle = incident.level === 'warn' ? colours.warn : colours.bad;
    triangle(context, x(incident.time), top + 15);
  }
  context.fillStyle = colours.planned;
  for (const edit of marks.within('edit', view.from, view.to)) {
    context.fillRect(x(edit.time) - 4, top + 7, 8, 8);
  }
}

function drawLabels({ context, colours }) {
  context.textBaseline = 'alphabetic';
  for (const lane of [LANES.memory, LANES.length, LANES.faults]) {
    const wide = context.measureText(lane.label).width;
    context.globalAlpha = 0.75;
    context.fillStyle = colours.card;
    context.fillRect(0, lane.top - 6, wide + 6, 13);
    context.globalAlpha = 1;
    context.fillStyle = colours.quiet;
    context.fillText(lane.label, 2, lane.top + 4);
  }
  context.textBaseline = 'middle';
}

function drawCursor({ context, height, colours, x, view }) {
  const at = x(view.cursor ?? view.latest);
  context.strokeStyle = view.cursor === null ? colours.accent : colours.planned;
  context.fillStyle = context.strokeStyle;
  context.lineWidth = 2;
  vertical(context, at, 6, height);
  context.beginPath();
  context.moveTo(at - 6, 2);
  context.lineTo(at + 6, 2);
  context.lineTo(at, 11);
  context.fill();
}

function triangle(context, x, bottom) {
  context.beginPath();
  context.moveTo(x, bottom - 11);
  context.lineTo(x + 6, bottom);
  context.lineTo(x - 6, bottom);
  context.fill();
}

function vertical(context, x, top, bottom) {
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, bottom);
  context.stroke();
}
