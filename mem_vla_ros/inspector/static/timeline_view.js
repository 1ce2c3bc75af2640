// What part of the timeline is shown, and how mouse, fingers and keys move it and the cursor.

import { byId, clock, make, setText, span } from './dom.js';
import { drawTimeline, LANES } from './timeline.js';

const ZOOMS = [['1 min', 60], ['10 min', 600], ['1 h', 3600], ['all', Infinity]];
const DEFAULT_SPAN_S = 180;
const MIN_SPAN_S = 4;
const NEAR_PX = 8;

export class TimelineView {
  /** @param changed called with the cursor: a time, or null for now. */
  constructor(marks, changed) {
    this.marks = marks;
    this.changed = changed;
    this.canvas = byId('timeline');
    this.tip = byId('tip');
    this.start = 0;
    this.latest = 0;
    this.spanS = DEFAULT_SPAN_S;
    this.to = null;
    this.cursor = null;
    this.pointers = new Map();
    this.makeButtons();
    this.listen();
  }

  /** The right end follows the newest moment unless the view was moved. */
  window() {
    const whole = Math.max(this.latest - this.start, 10);
    const width = Math.min(this.spanS, whole * 1.02);
    const to = this.to ?? this.latest + width * 0.02;
    const from = Math.max(to - width, this.start - width * 0.02);
    return { from, to: from + width };
  }

  draw() {
    const view = { ...this.window(), start: this.start, latest: this.latest, cursor: this.cursor };
    drawTimeline(this.canvas, this.marks, view);
    const time = this.cursor ?? this.latest;
    this.canvas.setAttribute('aria-valuemax', Math.round(this.latest - this.start));
    this.canvas.setAttribute('aria-valuenow', Math.round(time - this.start));
    const subtask = this.marks.at('subtask', time);
    const words = `${clock(time - this.start)}, ${subtask?.text ?? ''}`;
    this.canvas.setAttribute('aria-valuetext', words);
  }

  /** Move the cursor; at or after the newest moment it follows the present. */
  moveTo(time) {
    this.cursor = time === null || time >= this.latest - 0.05 ? null : Math.max(this.start, time);
    if (this.cursor === null) this.to = null;
    else this.keepVisible(this.cursor);
    this.draw();
    this.changed(this.cursor);
  }

  keepVisible(time) {
    const { from, to } = this.window();
    this.to = to;
    if (time < from) this.to = time + (to - from) * 0.9;
    if (time > to) this.to = time + (to - from) * 0.1;
  }

  zoom(factor, around = this.cursor ?? this.latest) {
    const { from, to } = this.window();
    const whole = Math.max(this.latest - this.start, 10);
    const width = Math.min(Math.max((to - from) * factor, MIN_SPAN_S), whole * 1.02);
    this.spanS = width >= whole ? Infinity : width;
    const share = (around - from) / (to - from);
    this.to = this.cursor === null && around >= this.latest ? null : around + width * (1 - share);
    this.draw();
    this.markButtons();
  }

  pan(seconds) {
    const { to } = this.window();
    this.to = Math.min(to + seconds, this.latest + this.spanS * 0.5);
    this.draw();
  }

  timeAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const { from, to } = this.window();
    return from + ((to - from) * (event.clientX - box.left)) / box.width;
  }

  makeButtons() {
    const buttons = ZOOMS.map(([label, seconds]) => {
      const button = make('button', '', label);
      button.type = 'button';
      button.addEventListener('click', () => {
        this.spanS = seconds;
        if (this.cursor === null) this.to = null;
        else this.to = this.cursor + Math.min(seconds, this.latest - this.start) / 2;
        this.draw();
        this.markButtons();
      });
      return button;
    });
    byId('zoom').replaceChildren(...buttons);
    this.markButtons();
  }

  markButtons() {
    [...byId('zoom').children].forEach((button, index) => {
      button.setAttribute('aria-pressed', String(ZOOMS[index][1] === this.spanS));
    });
  }

  listen() {
    this.canvas.addEventListener('pointerdown', (event) => this.onDown(event));
    this.canvas.addEventListener('pointermove', (event) => this.onMove(event));
    for (const name of ['pointerup', 'pointercancel']) {
      this.canvas.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    }
    this.canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
    this.canvas.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
    this.canvas.addEventListener('keydown', (event) => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  onDown(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event.clientX);
    if (this.pointers.size === 1) this.moveTo(this.timeAt(event));
  }

  onMove(event) {
    if (!this.pointers.has(event.pointerId)) {
      this.showTip(event);
      return;
    }
    const before = [...this.pointers.values()];
    this.pointers.set(event.pointerId, event.clientX);
    if (this.pointers.size === 1) {
      this.moveTo(this.timeAt(event));
    } else if (this.pointers.size === 2) {
      const after = [...this.pointers.values()];
      const distance = ([one, other]) => Math.max(20, Math.abs(one - other));
      this.zoom(distance(before) / distance(after), this.timeAt(event));
    }
  }

  /** Only when the timeline has the focus: the page must stay scrollable over it. */
  onWheel(event) {
    if (document.activeElement !== this.canvas && !event.ctrlKey) return;
    event.preventDefault();
    const { from, to } = this.window();
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isSideways) this.pan(((to - from) * event.deltaX) / 800);
    else this.zoom(Math.exp(event.deltaY / 400), this.timeAt(event));
  }

  onKey(event) {
    const time = this.cursor ?? this.latest;
    const step = event.shiftKey ? 10 : 1;
    const actions = {
      ArrowLeft: () => this.moveTo(time - step),
      ArrowRight: () => this.moveTo(time + step),
      PageUp: () => this.moveTo(time - 60),
      PageDown: () => this.moveTo(time + 60),
      Home: () => this.moveTo(this.start),
      End: () => this.moveTo(null),
      '+': () => this.zoom(0.6),
      '=': () => this.zoom(0.6),
      '-': () => this.zoom(1.6),
      '[': () => this.moveTo(this.marks.at('memory', time - 0.01)?.time ?? this.start),
      ']': () => this.moveTo(this.marks.after('memory', time)?.time ?? null),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  }

  showTip(event) {
    const box = this.canvas.getBoundingClientRect();
    const text = this.describe(event.clientY - box.top, this.timeAt(event));
    this.tip.hidden = !text;
    setText(this.tip, text);
    const left = event.clientX - box.left;
    this.tip.style.left = `${Math.min(left + 12, box.width - this.tip.offsetWidth)}px`;
    this.tip.style.top = `${event.clientY - box.top + 16}px`;
  }

  /** What lies under a point of the canvas, in words. */
  describe(y, time) {
    if (time > this.latest) return '';
    const lane = Object.keys(LANES).findLast((name) => y >= LANES[name].top - 4);
    const { from, to } = this.window();
    const near = ((to - from) * NEAR_PX) / this.canvas.clientWidth;
    const when = clock(time - this.start);
    if (lane === 'subtasks') {
      const subtask = this.marks.at('subtask', time);
      const attempt = subtask?.attempt > 1 ? ` (attempt ${subtask.attempt})` : '';
      return subtask?.text ? `${subtask.text}${attempt}` : when;
    }
    if (lane === 'memory' || lane === 'length') {
      const version = this.marks.at('memory', time + (lane === 'memory' ? near : 0));
      const naive = this.marks.at('subtask', time)?.naive_chars ?? 0;
      const words = `${version?.chars} characters, all subtasks ${naive}`;
      return version ? `memory v${version.version}: ${words}` : when;
    }
    if (lane === 'faults') {
      const [mark] = this.marks.newest(['incident', 'edit'], time + near, 1);
      if (mark && mark.time >= time - near) return `${mark.where ?? mark.action}: ${mark.text}`;
      const gate = this.marks.at('gate', time);
      return gate ? `gate ${gate.level} ${gate.reason}` : when;
    }
    return `${when}, ${span(this.latest - time)} ago`;
  }
}
