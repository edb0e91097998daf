/* A form that keeps what was typed: over a reload, Back, a refused or lost request, and an expired session. */

import { $, announce, el } from "../core/dom.js";
import { discard, keyOf, putValues, read, valuesFor, valuesIn, write } from "../core/form_memory.js";

const PAUSE_MS = 150;
const EVENTS = ["input", "change", "click", "keyup", "pointerup"]; // buttons and drawings change a form too
const plain = (state) => JSON.stringify(state);

/**
 * Keep the form `root` from now on, and restore what this tab kept of it. Call it once all its controls are there; its
 * template has autocomplete="off", so that the browser restores nothing before.
 *
 * `more` is for what no control holds: `read()` returns it as JSON, `apply(value)` sets it. `name` distinguishes forms
 * of one page. All values are set within `batch(set)`. Returns {forget(), isRestored}: call `forget` when the form was
 * submitted.
 *
 * @param {HTMLElement} root
 * @param {{
 *   more?: {read: () => any, apply: (value: any) => void}, name?: string, batch?: (set: () => void) => void,
 * }} [options]
 */
export function keepForm(root, { more, name = "", batch = (set) => set() } = {}) {
  const key = keyOf(location.pathname + name);
  const stateNow = () => ({ values: valuesIn(root), more: more?.read() ?? null });
  const first = stateNow();
  let sent = plain(first);
  let timer = 0;
  let isLost = false; // changed, and the storage is full
  let isRestored = false;

  function put({ values, more: others }) {
    batch(() => {
      if (more && plain(others) !== plain(more.read())) more.apply(others);
      putValues(root, values);
    });
  }

  function save() {
    window.clearTimeout(timer);
    timer = 0;
    const now = stateNow();
    isLost = false;
    if ([plain(first), sent].includes(plain(now))) discard(key);
    else isLost = !write(key, { ...now, search: location.search });
  }

  function forget() {
    sent = plain(stateNow());
    window.clearTimeout(timer);
    timer = 0;
    isLost = false;
    discard(key);
  }

  function schedule() {
    window.clearTimeout(timer);
    timer = window.setTimeout(save, PAUSE_MS);
  }

  const kept = read(key);
  if (kept) {
    put({ values: valuesFor(kept, location.search), more: kept.more ?? first.more });
    isRestored = plain(stateNow()) !== plain(first);
    if (isRestored)
      showNotice(root, () => {
        forget();
        put(first);
        forget(); // what it took to set it
      });
  }
  for (const type of EVENTS) root.addEventListener(type, schedule);
  window.addEventListener("pagehide", () => timer && save());
  window.addEventListener("beforeunload", (event) => {
    if (timer) save();
    if (isLost) event.preventDefault();
  });
  return { forget, isRestored };
}

/** "Restored what you typed": over the page, so that nothing moves, until it is answered or something is typed. */
function showNotice(root, startAfresh) {
  const end = () => {
    box.remove();
    root.removeEventListener("input", end);
  };
  const button = (text, attributes, action) =>
    el("button", { class: "button button--small", onclick: action, ...attributes }, text);
  const box = el(
    "div.restored.popup",
    { role: "group", "aria-label": "Restored form", dataset: { restored: "" } },
    el("p", "Restored what you typed."),
    button("Start afresh", {}, () => {
      end();
      startAfresh();
      announce("The form is as it was at first.");
      ($("input:not([type=hidden]), select", root) ?? root).focus();
    }),
    button("×", { "aria-label": "Keep what was restored" }, end),
  );
  $("main").append(box);
  announce("Restored what you typed.");
  root.addEventListener("input", end);
}
