/* What a layer of the legend that is not drawn yet is about: its job, and what can be done about it. */

import { el } from "../core/dom.js";
import { capitalized, percent, queued } from "../core/format.js";

const runningText = ({ stage, progress, eta }) =>
  `${stage || "Running"} · ${percent(progress, 2)}${eta ? ` · ${eta} left` : ""}`;

/** What each state shows and what can be done about it; one that is not here shows nothing. */
const STATES = {
  reading: { text: () => "Loading the events …" },
  queued: { text: ({ queue }) => capitalized(queued(queue)), act: "cancel", bar: "waits" },
  running: { text: runningText, act: "cancel", bar: "runs" },
  failed: { text: ({ reason }) => `Failed: ${reason}`, act: "retry" },
  cancelled: { text: () => "Cancelled", act: "retry" },
};
const ACTS = { cancel: "Cancel", retry: "Retry" };

/**
 * What a layer that is not drawn yet is about. Its parts are made once and filled again and again: a button that a
 * finger is on stays the same element when a worker takes the job, and shows at once that it was pressed.
 */
export function createState(id, on) {
  const [chip, text] = [el("strong", { class: "chip chip--strong" }, "NOT PRIVATE: seeded"), el("span")];
  const bar = el("progress", { class: "progress", max: 1 });
  const button = el("button", { class: "button button--small", type: "button", onclick: press });
  const element = el("div", { class: "layer__state small" }, chip, text, button, bar);
  /** @type {any[]} */
  let [act, sent] = [null, false];

  async function press() {
    sent = button.disabled = true;
    await on[act](id);
    sent = button.disabled = false;
  }

  function fill(entry) {
    const { text: stateText, act: next = null, bar: what } = (!entry.owner && STATES[entry.state]) || {};
    act = next;
    chip.hidden = Boolean(entry.private);
    text.textContent = stateText ? stateText(entry) : "";
    text.hidden = !stateText;
    button.hidden = !act;
    button.disabled = sent;
    if (act) {
      button.textContent = ACTS[act];
      button.setAttribute("aria-label", `${ACTS[act]} ${entry.title}`);
    }
    bar.hidden = !what;
    if (what) bar.setAttribute("aria-label", `${entry.title} ${what}`);
    if (entry.state === "running") bar.value = entry.progress;
    else bar.removeAttribute("value");
    element.hidden = chip.hidden && !stateText;
  }

  return { element, fill };
}
