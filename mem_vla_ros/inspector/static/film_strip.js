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
    const newest = camera.slots.length - 1;
    camera.slots.forEach((slot, index) => showSlot(slots[index], slot, index === newest));
  }
}

function note(clip, moment) {
  const behind = clip.age_s > 1.5 ? `, ${span(clip.age_s)} before the shown moment` : '';
  const errorMs = Math.round((moment.low_level?.spacing_error_s ?? 0) * 1000);
  const frames = clip.cameras[0]?.slots.length ?? 0;
  return `by the low level, ${frames} frames per camera, off by at most ${errorMs} ms${behind}`;
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
  const [kind, words] = describe(slot, isNewest);
  setClass(view.box, `slot ${kind}`);
  setText(view.age, words);
  if (view.frame === slot.frame) return;
  view.frame = slot.frame;
  view.image.hidden = slot.frame === null;
  if (slot.frame !== null) view.image.src = `/frames/${slot.frame}`;
  view.image.alt = slot.frame === null ? '' : `frame ${age(slot)}`;
}

/** The class and the words of a slot. */
function describe(slot, isNewest) {
  if (slot.padded) return ['padded', 'padded'];
  if (slot.frame === null) return ['missing', `${age(slot)} not kept`];
  return [isNewest ? 'newest' : '', age(slot)];
}

function age(slot) {
  return slot.age_s < 0.05 ? '0.0 s' : `−${slot.age_s.toFixed(1)} s`;
}
