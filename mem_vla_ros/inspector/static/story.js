// Goal, subtask and memory at the shown moment, and the memory version by version.

import { byId, clock, make, setText, span, textOr, wordRuns } from './dom.js';

const RECENT = 4;
const shown = { goal: null, subtask: null, memory: null, recent: null };

export function showStory(moment) {
  showGoal(moment.goal);
  showSubtask(moment);
  showMemory(moment.memory, moment.subtask);
}

function showGoal(goal) {
  const number = goal ? goal.number : -1;
  if (shown.goal === number) return;
  shown.goal = number;
  byId('goal').replaceChildren(textOr(goal?.text, 'no goal yet'));
}

function showSubtask({ subtask, low_level: lowLevel, hold }) {
  setText(byId('subtask-age'), subtask?.text ? `for ${span(subtask.age_s)}` : '');
  const follows = byId('follows');
  const followed = lowLevel?.subtask !== subtask?.text ? lowLevel?.subtask : '';
  follows.hidden = !followed && !hold;
  setText(follows, hold ? 'Held by the operator.' : `The arm still follows: ${followed}`);
  const number = subtask ? subtask.number : -1;
  if (shown.subtask === number) return;
  shown.subtask = number;
  const parts = [textOr(subtask?.text, 'nothing yet')];
  if (subtask?.attempt > 1) parts.push(make('span', 'badge', `attempt ${subtask.attempt}`));
  byId('subtask').replaceChildren(...parts);
}

function showMemory(memory, subtask) {
  const when = memory ? `version ${memory.version}, ${span(memory.age_s)} ago` : '';
  setText(byId('memory-age'), when);
  const number = memory ? memory.number : -1;
  const naive = Math.max(memory?.naive_chars ?? 0, subtask?.naive_chars ?? 0);
  setText(byId('memory-size'), sizeText(memory?.text.length ?? 0, naive));
  if (shown.memory === number) return;
  shown.memory = number;
  const element = byId('memory');
  if (memory?.text) element.replaceChildren(...wordRuns(memory.changes, ['kept', 'added']));
  else element.replaceChildren(textOr('', 'nothing yet'));
  element.classList.remove('fresh');
  requestAnimationFrame(() => element.classList.add('fresh'));
  showCompressed(memory);
}

function sizeText(chars, naive) {
  const share = Math.round(100 * (1 - chars / naive));
  const less = naive > chars && chars ? `, ${share} % shorter` : '';
  return `${chars} characters; a list of all subtasks would have ${naive}${less}.`;
}

function showCompressed(memory) {
  const removed = (memory?.changes ?? []).filter(([kind]) => kind === 'removed');
  const element = byId('compressed');
  element.hidden = removed.length === 0;
  const label = memory?.text ? 'Compressed away: ' : 'Forgotten: ';
  element.replaceChildren(label, ...wordRuns(removed));
}

/** List the subtasks before the present one, with how long they took. */
export function showRecent(marks, time, start, goTo) {
  const [current, ...past] = marks.newest(['subtask'], time, RECENT + 1);
  const key = `${current?.number}/${past.length}`;
  if (shown.recent === key) return;
  shown.recent = key;
  byId('before').hidden = !past.length;
  byId('recent').replaceChildren(...past.map((subtask, index) => {
    const when = make('button', '', clock(subtask.time - start));
    when.type = 'button';
    when.addEventListener('click', () => goTo(subtask.time));
    const took = span((index ? past[index - 1] : current).time - subtask.time);
    const attempt = subtask.attempt > 1 ? `, attempt ${subtask.attempt}` : '';
    const note = make('span', 'quiet', ` ${took}${attempt}`);
    return make('li', '', when, make('span', '', subtask.text || 'nothing', note));
  }));
}

/** Fill the list of versions; the roll-back buttons appear only where acting is possible. */
export function showVersions(versions, start, goTo, rollBack) {
  byId('versions').replaceChildren(...versions.map((version) => {
    const when = make('button', '', clock(version.time - start));
    when.type = 'button';
    when.addEventListener('click', () => goTo(version.time));
    const head = make('div', 'head', make('strong', '', `v${version.version}`),
      make('span', '', note(version)));
    if (rollBack) {
      const button = make('button', '', 'Roll back to this');
      button.type = 'button';
      button.addEventListener('click', () => rollBack(version));
      head.append(button);
    }
    head.append(when);
    return make('li', '', head, make('p', '', ...wordRuns(version.changes)));
  }));
  if (!versions.length) byId('versions').replaceChildren(make('li', 'empty', 'No memory yet.'));
}

function note(version) {
  const by = version.source === 'person' ? 'by a person' : version.source;
  return version.status === 'ok' ? by : `${by}, ${version.status}`;
}
