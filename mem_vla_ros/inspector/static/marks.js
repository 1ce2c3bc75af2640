// The marks of the timeline in order of time, bounded, and looked up by time.

const MAX_PER_KIND = 20000;

export class Marks {
  constructor() {
    this.clear();
  }

  clear() {
    this.byKind = new Map();
    this.ranks = new Map();
  }

  add(mark) {
    if (mark.kind === 'subtask') mark.rank = this.rankOf(mark.text);
    const list = this.of(mark.kind);
    list.push(mark);
    if (list.length > MAX_PER_KIND) list.splice(0, MAX_PER_KIND / 10);
  }

  /** How many different subtasks came before the first of this text. */
  rankOf(text) {
    if (this.ranks.size > MAX_PER_KIND) this.ranks.clear();
    if (!this.ranks.has(text)) this.ranks.set(text, this.ranks.size);
    return this.ranks.get(text);
  }

  /** All marks of a kind, oldest first. */
  of(kind) {
    if (!this.byKind.has(kind)) this.byKind.set(kind, []);
    return this.byKind.get(kind);
  }

  /** The newest mark of a kind that is not after the time. */
  at(kind, time) {
    const list = this.of(kind);
    return list[firstAfter(list, time) - 1] ?? null;
  }

  /** The first mark of a kind after the time. */
  after(kind, time) {
    const list = this.of(kind);
    return list[firstAfter(list, time)] ?? null;
  }

  /** Those from the last one before the span to its end: what is visible in it. */
  within(kind, from, to) {
    const list = this.of(kind);
    return list.slice(Math.max(0, firstAfter(list, from) - 1), firstAfter(list, to));
  }

  /** The newest ones of some kinds that are not after the time, newest first. */
  newest(kinds, time, count) {
    const lists = kinds.flatMap((kind) => {
      const list = this.of(kind);
      const end = firstAfter(list, time);
      return list.slice(Math.max(0, end - count), end);
    });
    return lists.sort((one, other) => other.number - one.number).slice(0, count);
  }
}

/** Index of the first mark after the time. */
export function firstAfter(list, time) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
