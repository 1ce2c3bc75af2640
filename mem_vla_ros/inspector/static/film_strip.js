// The K frames per camera that the low-level policy really saw, with their true ages.

import { byId, make, setClass, setText, span } from './dom.js';

let strips = new Map();
let shape = '';

export function showFilm(clip, moment) {
  const cameras = clip?.cameras ?? [];
  rebuild(cameras);
  setText(byId('film-note'), clip ? note(clip, moment) : 'nothing yet');
  for (const camera of cameras) {
    const slots = strips.get(camera.name);
    camera.slots.forEach((slot, index) => showSlot(slots[index], slot, index === camera.slots.length - 1));
  }
}

function note(clip, moment) {
  const behind = clip.age_s > 1.5 ? `, ${span(clip.age_s)} before the shown moment` : '';
  const error = moment.low_level ? `, spacing off by at most ${Math.round(moment.low_level.spacing_error_s * 1000)} ms` : '';
  return `by the low level, ${clip.cameras[0]?.slots.length ?? 0} frames per camera${error}${behind}`;
}

function rebuild(cameras) {
  const wanted = cameras.map((camera) => `${camera.name}/${camera.slots.length}`).join();
  if (wanted === shape) return;
  shape = wanted;
  strips = new Map();
  byId('film').replaceChildren(...cameras.map((camera) => {
    const slots = camera.slots.map(() => makeSlot());
    strips.set(camera.name, slots);
    const strip = make('div', 'strip', make('span', 'name', camera.name.replaceAll('_', ' ')),
      ...slots.map((slot) => slot.box));
    strip.style.setProperty('--slots', camera.slots.length);
    return strip;
  }));
}

function makeSlot() {
  const image = make('img');
  image.hidden = true;
  const age = make('span', 'age');
  return { box: make('div', 'slot', image, age), image, age, frame: null };
}

function showSlot(view, slot, isNewest) {
  const kind = slot.padded ? ' padded' : slot.frame === null ? ' missing' : isNewest ? ' newest' : '';
  setClass(view.box, `slot${kind}`);
  setText(view.age, slot.padded ? 'padded' : slot.frame === null ? `${age(slot)} not kept` : age(slot));
  if (view.frame === slot.frame) return;
  view.frame = slot.frame;
  view.image.hidden = slot.frame === null;
  if (slot.frame !== null) view.image.src = `/frames/${slot.frame}`;
  view.image.alt = slot.frame === null ? '' : `frame ${age(slot)}`;
}

function age(slot) {
  return slot.age_s < 0.05 ? '0.0 s' : `−${slot.age_s.toFixed(1)} s`;
}
