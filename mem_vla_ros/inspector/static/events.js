// The newest events before the shown moment, as a list.

import { byId, clock, make } from './dom.js';

const KINDS = ['goal', 'episode', 'subtask', 'incident', 'gate', 'hold', 'score', 'edit'];
const COUNT = 60;

let shown = '';

export function showEvents(marks, time, start, goTo) {
  const events = marks.newest(KINDS, time, COUNT);
  const key = `${events[0]?.number}/${events.length}`;
  if (key === shown) return;
  shown = key;
  byId('events').replaceChildren(...events.map((mark) => {
    const when = make('button', '', clock(mark.time - start));
    when.type = 'button';
    when.addEventListener('click', () => goTo(mark.time));
    const [text, kind] = describe(mark);
    return make('li', '', when, make('span', kind, make('span', 'kind', mark.kind), text));
  }));
}

function describe(mark) {
  if (mark.kind === 'incident') {
    const isMild = mark.level === 'warn' || mark.level === 'ok';
    return [`${mark.where}: ${mark.text}`, isMild ? mark.level : 'bad'];
  }
  if (mark.kind === 'gate') {
    return [`${mark.level} ${mark.reason}`, mark.level === 'OK' ? 'ok' : 'warn'];
  }
  if (mark.kind === 'hold') return [mark.on ? 'held by the operator' : 'released', ''];
  if (mark.kind === 'edit') return [`${mark.action} ${mark.text}`, ''];
  if (mark.attempt > 1) return [`${mark.text} (attempt ${mark.attempt})`, ''];
  return [mark.text, ''];
}
