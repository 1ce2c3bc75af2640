// Planned against executed position of every joint around the shown moment.

import { byId, make, milliseconds, setText } from './dom.js';
import { fit, palette } from './palette.js';

let plots = [];
let names = '';

export function showMotion(motion, lowLevel) {
  rebuild(motion.joints);
  setText(byId('chunk-note'), lowLevel ? chunkNote(lowLevel) : '');
  plots.forEach((plot, joint) => drawJoint(plot, motion, joint));
}

function chunkNote(state) {
  const total = Object.entries(state.timings_s).filter(([name]) => name !== 'total');
  const timings = total.map(([name, seconds]) => `${name} ${milliseconds(seconds)}`).join(', ');
  const passed = `${state.delay_steps} of ${state.rows} rows passed while thinking`;
  const delay = `${passed} (${state.forecast_delay_steps} foreseen)`;
  const status = state.status === 'ok' ? '' : ` · ${state.status} ${state.error}`;
  const parts = [`chunk ${state.chunk}`, delay, state.chunking, timings];
  return parts.filter(Boolean).join(' · ') + status;
}

function rebuild(joints) {
  if (joints.join('\n') === names) return;
  names = joints.join('\n');
  plots = joints.map((name) => {
    const canvas = make('canvas');
    const error = make('span');
    const head = make('div', 'name', make('span', '', name), error);
    return { canvas, error, box: make('div', 'joint', head, canvas) };
  });
  byId('joints').replaceChildren(...plots.map((plot) => plot.box));
}

function drawJoint(plot, motion, joint) {
  const { context, width, height } = fit(plot.canvas);
  const colours = palette();
  const executed = motion.executed.rows.map((row) => row[joint]);
  const planned = motion.chunks.flatMap((chunk) => chunk.rows.map((row) => row[joint]));
  const values = [...executed, ...planned];
  if (!values.length) return;
  const middle = (Math.min(...values) + Math.max(...values)) / 2;
  const half = Math.max((Math.max(...values) - Math.min(...values)) / 2, 1e-3) * 1.15;
  const x = (time) => (width * (time - motion.start)) / (motion.end - motion.start);
  const y = (value) => height / 2 - (height / 2 - 3) * ((value - middle) / half);

  drawChunkBorders(context, motion, x, height, colours);
  context.lineWidth = 1;
  context.strokeStyle = colours.line;
  line(context, [[x(motion.time), 0], [x(motion.time), height]]);
  context.lineWidth = 2.4;
  context.strokeStyle = colours.planned;
  for (const chunk of motion.chunks) {
    line(context, chunk.rows.map((row, index) => [x(rowTime(chunk, index)), y(row[joint])]));
  }
  context.lineWidth = 1.4;
  context.strokeStyle = colours.accent;
  line(context, executed.map((value, index) => [x(motion.executed.times[index]), y(value)]));
  const error = trackingError(motion, joint);
  setText(plot.error, error === null ? '' : `off by ${error.toPrecision(2)}`);
  plot.error.title = 'Mean distance between plan and execution in this window';
}

function drawChunkBorders(context, motion, x, height, colours) {
  for (const chunk of motion.chunks) {
    context.globalAlpha = 0.13;
    context.fillStyle = colours.planned;
    context.fillRect(x(chunk.stamp), 0, x(chunk.arrival) - x(chunk.stamp), height);
    context.globalAlpha = 0.35;
    context.strokeStyle = colours.quiet;
    context.lineWidth = 1;
    line(context, [[x(chunk.arrival), 0], [x(chunk.arrival), height]]);
    context.globalAlpha = 1;
  }
}

function rowTime(chunk, index) {
  return chunk.stamp + (chunk.first + index) * chunk.dt;
}

/** Mean distance of the executed positions from the plan that was in force, null without any. */
function trackingError(motion, joint) {
  let sum = 0;
  let count = 0;
  let index = 0;
  const { times, rows } = motion.executed;
  for (const chunk of motion.chunks) {
    const last = rowTime(chunk, chunk.rows.length - 1);
    for (; index < times.length && times[index] <= last; index += 1) {
      const position = (times[index] - chunk.stamp) / chunk.dt - chunk.first;
      const row = Math.floor(position);
      if (row < 0 || row + 1 >= chunk.rows.length) continue;
      const share = position - row;
      const planned = chunk.rows[row][joint] * (1 - share) + chunk.rows[row + 1][joint] * share;
      sum += Math.abs(planned - rows[index][joint]);
      count += 1;
    }
  }
  return count ? sum / count : null;
}

function line(context, points) {
  context.beginPath();
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
}
