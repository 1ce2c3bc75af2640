// Colours of the style sheet for canvases, in the theme that is shown.

const NAMES = [
  'card', 'line', 'text', 'quiet', 'accent', 'planned', 'naive', 'ok', 'warn', 'bad'];

let colours = null;

/** Return name -> colour. */
export function palette() {
  if (colours) return colours;
  const probe = document.createElement('i');
  document.body.append(probe);
  colours = {};
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  const [red] = colours.card.match(/\d+/g);
  colours.dark = Number(red) < 128;
  return colours;
}

/** Return the colour of the n-th different subtask; neighbours in number differ clearly. */
export function blockColour(rank) {
  const hue = (168 + rank * 137.5) % 360;
  return palette().dark ? `hsl(${hue} 32% 31%)` : `hsl(${hue} 48% 84%)`;
}

/** Fit a canvas to its place and return its context with width and height in CSS pixels. */
export function fit(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

function forget() {
  colours = null;
}

/** Call back when the theme changes, and let the button switch it. */
export function watchTheme(button, changed) {
  const root = document.documentElement;
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const stored = localStorage.getItem('theme');
  if (stored === 'light' || stored === 'dark') root.dataset.theme = stored;
  const update = () => { forget(); changed(); };
  dark.addEventListener('change', update);
  button.addEventListener('click', () => {
    root.dataset.theme = palette().dark ? 'light' : 'dark';
    localStorage.setItem('theme', root.dataset.theme);
    update();
  });
}
