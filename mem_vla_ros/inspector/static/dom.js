// Elements and texts. What comes from the robot enters the page as text nodes, never as markup.

export const byId = (id) => document.getElementById(id);

/** Make an element; children are elements or texts. */
export function make(tag, className = '', ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** Set the text of an element, touching the page only when it differs. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setClass(element, className) {
  if (element.className !== className) element.className = className;
}

/** Return a text as an element's content, or a quiet word for nothing. */
export function textOr(text, nothing) {
  return text ? document.createTextNode(text) : make('span', 'empty', nothing);
}

/** h:mm:ss, with tenths where they matter. */
export function clock(seconds, tenths = false) {
  const sign = seconds < 0 ? '−' : '';
  const all = Math.abs(seconds);
  const whole = Math.floor(all);
  const two = (number) => String(number).padStart(2, '0');
  const rest = tenths ? `.${Math.floor((all - whole) * 10)}` : '';
  const minutes = Math.floor(whole / 60);
  return `${sign}${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}${rest}`;
}

/** A length of time in words. */
export function span(seconds) {
  if (seconds < 9.95) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function milliseconds(seconds) {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;
}

/** The changes of a memory version as elements: kept words plain, the others marked. */
export function wordRuns(changes, shown = ['kept', 'added', 'removed']) {
  const tags = { kept: 'span', added: 'ins', removed: 'del' };
  const runs = changes.filter(([kind]) => shown.includes(kind));
  return runs.flatMap(([kind, text], index) => [
    ...(index ? [' '] : []), make(tags[kind] ?? 'span', '', text)]);
}
