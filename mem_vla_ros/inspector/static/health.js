// Latencies of both levels, delivery of every input, and what the nodes say about themselves.

import { byId, make, milliseconds, setClass, setText, span } from './dom.js';

const SVG = 'http://www.w3.org/2000/svg';
const LEVELS = { ok: '', warn: ' warn', error: ' bad', stale: ' bad' };

export function showHealth(moment) {
  const { high_level: highLevel, low_level: lowLevel } = moment.latency;
  const latencies = [['high level', highLevel], ['low level', lowLevel]];
  fill('latency', latencies.filter(([, latency]) => latency), latencyRow);
  fill('inputs', moment.inputs, inputRow);
  fill('nodes', moment.diagnostics, nodeRow);
}

export function showGate(gate, hold) {
  const pill = byId('gate');
  const level = gate?.level ?? '';
  const kinds = { OK: 'ok', WARN: 'warn', HOLD: 'warn', STOP: 'bad', FAULT: 'bad' };
  setClass(pill, `pill ${hold ? 'warn' : kinds[level] ?? ''}`);
  const reason = gate?.reason ? `: ${gate.reason}` : '';
  setText(pill, hold ? 'held by operator' : level === 'OK' ? 'may move' : `${level}${reason}`);
}

export function showScore(score) {
  setText(byId('score'), score ? score.text : '');
}

/** Update the rows of a table body in place: it is redrawn many times a second. */
function fill(id, items, update) {
  const body = byId(id);
  body.parentElement.hidden = !items.length;
  while (body.rows.length > items.length) body.lastElementChild.remove();
  while (body.rows.length < items.length) {
    body.append(make('tr', '', make('td'), make('td', 'number'), make('td', 'number')));
  }
  items.forEach((item, index) => update(body.rows[index].cells, item));
}

function latencyRow([name, middle, last], [level, latency]) {
  setText(name, level);
  setText(middle, `p50 ${milliseconds(latency.p50_s)} · p95 ${milliseconds(latency.p95_s)}`);
  last.replaceChildren(sparkline(latency.values));
}

function inputRow([name, middle, last], input) {
  dotted(name, input.late ? ' bad' : '', input.name);
  setText(middle, input.late ? 'late' : `${input.rate_hz.toFixed(1)} Hz`);
  setText(last, `${span(input.age_s)} ago`);
}

function nodeRow([name, middle, last], status) {
  dotted(name, LEVELS[status.level] ?? '', status.name);
  middle.hidden = true;
  last.className = '';
  setText(last, status.text);
}

function dotted(cell, kind, text) {
  if (!cell.firstElementChild) cell.append(make('span', 'dot'), make('span'));
  setClass(cell.firstElementChild, `dot${kind}`);
  setText(cell.lastElementChild, text);
}

function sparkline(values) {
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  const most = Math.max(...values, 1e-6);
  const step = 100 / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${index * step} ${22 - (20 * value) / most}`);
  path.setAttribute('d', `M${points.join('L')}`);
  svg.setAttribute('viewBox', '0 0 100 24');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(path);
  return svg;
}
