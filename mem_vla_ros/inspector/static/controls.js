// Acting on the robot: only with the token from the terminal, and each step confirmed.

import { byId, setText } from './dom.js';

const QUESTIONS = {
  set_goal: 'Give the robot this goal?',
  set_memory: 'Replace the memory with this?',
  roll_back: 'Make this version the memory again?',
  hold: 'Hold the arm?',
  resume: 'Let the arm move again?',
  reset: 'End this episode and start a new one?',
  undo: 'Undo the last step?',
};

let token = '';

/** Take the token out of the address, so that a copied address does not give it away. */
function takeToken() {
  const match = /[#&]token=([^&]+)/.exec(window.location.hash);
  if (!match) return;
  token = decodeURIComponent(match[1]);
  byId('token').value = token;
  window.history.replaceState(null, '', window.location.pathname);
}

export function setUpControls() {
  takeToken();
  byId('token').addEventListener('input', (event) => { token = event.target.value.trim(); });
  const texts = { set_goal: byId('new-goal'), set_memory: byId('new-memory') };
  for (const button of document.querySelectorAll('[data-action]')) {
    const { action } = button.dataset;
    button.addEventListener('click', () => ask(action, texts[action]?.value ?? ''));
  }
}

export function showControls(editable) {
  byId('controls').hidden = !editable;
}

/** Offer the present goal and memory for editing, unless somebody is writing there. */
export function offerTexts(moment) {
  const fields = [
    [byId('new-goal'), moment.goal?.text], [byId('new-memory'), moment.memory?.text]];
  for (const [field, text] of fields) {
    const untouched = field.value === (field.dataset.offered ?? '');
    if (untouched && document.activeElement !== field && text !== undefined) {
      field.value = text;
      field.dataset.offered = text;
    }
  }
}

/** Ask, then act. */
export function ask(action, text, shownText = text) {
  const dialog = byId('confirm');
  setText(byId('confirm-title'), QUESTIONS[action]);
  setText(byId('confirm-text'), shownText);
  byId('confirm-no').onclick = () => dialog.close();
  byId('confirm-yes').onclick = () => {
    dialog.close();
    act(action, text);
  };
  dialog.showModal();
}

async function act(action, text) {
  const result = byId('control-result');
  try {
    const response = await fetch('/api/act', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Memvla-Token': token },
      body: JSON.stringify({ action, text }),
    });
    const body = await response.text();
    setText(result, response.ok ? `Done: ${JSON.parse(body).done}` : `Refused: ${refusal(body)}`);
  } catch (error) {
    setText(result, `Not sent: ${error.message}`);
  }
}

function refusal(body) {
  try {
    return JSON.parse(body).error ?? body;
  } catch {
    return body;
  }
}
