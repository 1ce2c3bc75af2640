// The page: live news from the server, or a moment of the past from the timeline's cursor.

import { byId, clock, setClass, setText } from './dom.js';
import { ask, offerTexts, setUpControls, showControls } from './controls.js';
import { showEvents } from './events.js';
import { showFilm } from './film_strip.js';
import { showGate, showHealth, showScore } from './health.js';
import { Marks } from './marks.js';
import { showMotion } from './motion.js';
import { watchTheme } from './palette.js';
import { showRecent, showStory, showVersions } from './story.js';
import { TimelineView } from './timeline_view.js';

const SILENT_AFTER_MS = 3000;

const marks = new Marks();
const timeline = new TimelineView(marks, onCursor);
let about = { live: true, editable: false };
let live = null;
let shown = null;
let lastNews = 0;
let lastChange = 0;
let isDrawPending = false;
let shownVersions = '';
let fetching = false;
let wanted = null;

function listen() {
  const source = new EventSource('/api/live');
  source.addEventListener('about', (event) => {
    about = JSON.parse(event.data);
    marks.clear();
    shownVersions = '';
    showControls(about.editable);
  });
  source.addEventListener('marks', (event) => {
    for (const mark of JSON.parse(event.data)) marks.add(mark);
  });
  source.addEventListener('moment', (event) => {
    const news = JSON.parse(event.data);
    const isFirst = live === null;
    if (isFirst || news.moment.latest !== live.moment.latest) lastChange = performance.now();
    lastNews = performance.now();
    live = news;
    timeline.start = live.moment.start;
    timeline.latest = live.moment.latest;
    if (isFirst) followAddress();
    if (timeline.cursor === null) shown = live;
    scheduleDraw();
  });
}

function scheduleDraw() {
  if (isDrawPending) return;
  isDrawPending = true;
  requestAnimationFrame(() => {
    isDrawPending = false;
    draw();
  });
}

function draw() {
  showConnection();
  if (!shown) return;
  const { moment, motion } = shown;
  setText(byId('clock'), clock(moment.time - moment.start, timeline.cursor !== null));
  showStory(moment);
  showRecent(marks, moment.time, moment.start, goTo);
  showFilm(moment.clip, moment);
  showMotion(motion, moment.low_level);
  showHealth(moment);
  showGate(moment.gate, moment.hold);
  showScore(moment.score);
  showEvents(marks, moment.time, moment.start, goTo);
  timeline.draw();
  updateVersions(moment);
  if (about.editable && timeline.cursor === null) offerTexts(moment);
}

function showConnection() {
  const pill = byId('connection');
  const now = performance.now();
  byId('go-live').hidden = timeline.cursor === null;
  setText(byId('go-live'), about.live ? 'Back to now' : 'To the end');
  if (now - lastNews > SILENT_AFTER_MS) {
    setClass(pill, 'pill bad');
    setText(pill, lastNews ? 'inspector is gone' : 'connecting');
  } else if (timeline.cursor !== null) {
    setClass(pill, 'pill cursor');
    setText(pill, 'looking back');
  } else if (!about.live) {
    setClass(pill, 'pill');
    setText(pill, 'recording');
  } else if (now - lastChange > SILENT_AFTER_MS) {
    setClass(pill, 'pill warn');
    setText(pill, 'robot is silent');
  } else {
    setClass(pill, 'pill ok');
    setText(pill, 'live');
  }
}

/** Go once to the moment that the address names, such as #time=12.5 in seconds since the start. */
function followAddress() {
  const match = /[#&]time=([\d.]+)/.exec(window.location.hash);
  if (match && timeline.cursor === null) goTo(live.moment.start + Number(match[1]));
}

function goTo(time) {
  timeline.moveTo(time);
}

function onCursor(time) {
  if (time === null) {
    wanted = null;
    shown = live;
    scheduleDraw();
    return;
  }
  wanted = time;
  fetchMoment();
}

/** Ask for the wanted moment; while an answer is on its way, only the newest wish is kept. */
async function fetchMoment() {
  if (fetching) return;
  fetching = true;
  while (wanted !== null) {
    const time = wanted;
    try {
      const response = await fetch(`/api/moment?time=${time}`);
      const answer = await response.json();
      if (timeline.cursor !== null) shown = answer;
    } catch {
      wanted = null;
    }
    if (wanted === time) wanted = null;
    scheduleDraw();
  }
  fetching = false;
}

async function updateVersions(moment) {
  const number = String(moment.memory?.number ?? -1);
  if (number === shownVersions) return;
  shownVersions = number;
  try {
    const response = await fetch(`/api/versions?time=${moment.time}`);
    const versions = await response.json();
    const rollBack = about.editable
      ? (version) => ask('roll_back', String(version.number), version.text) : null;
    if (number === shownVersions) showVersions(versions, moment.start, goTo, rollBack);
  } catch {
    shownVersions = '';
  }
}

byId('go-live').addEventListener('click', () => goTo(null));
watchTheme(byId('theme'), scheduleDraw);
setUpControls();
setInterval(showConnection, 1000);
listen();
