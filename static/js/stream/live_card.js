/* The card of a live stream of the same dimensions: what it publishes, pause and resume. */

import { post } from "../core/api.js";
import { $, announce } from "../core/dom.js";
import { number } from "../core/format.js";
import { createLiveFeed } from "./live_feed.js";

/** @type {Record<string, string>} */
const STATES = { open: "Publishing", paused: "Paused", closed: "Closed" };

/** `attempt` shows what fails. @param {HTMLElement} card @param {(work: () => Promise<void>) => unknown} attempt */
export function watchLiveCard(card, attempt) {
  const { self, live, events, published } = /** @type {Record<string, string>} */ ({ ...card.dataset });
  const toggle = $("[data-live-toggle]", card); // editors have it

  /** @param {{state: string, window_spent: number}} row */
  function show({ state, window_spent: spent }) {
    card.dataset.state = state;
    $("[data-live-state]", card).textContent = STATES[state];
    if (toggle) {
      toggle.textContent = state === "paused" ? "Resume" : "Pause";
      toggle.hidden = state === "closed";
    }
    $("[data-live-window]", card).value = spent;
    $("[data-live-spent]", card).textContent = number(spent);
  }

  toggle?.addEventListener("click", () =>
    attempt(async () => {
      show(await post(`${self}${card.dataset.state === "paused" ? "resume" : "pause"}/`));
      announce($("[data-live-state]", card).textContent);
    }),
  );
  const feed = createLiveFeed({ live, events }, Number(published), {
    onRows: (rows) => {
      $("[data-live-last]", card).textContent = `last timestamp ${rows[rows.length - 1].time}`;
    },
    onState: show,
    onConnection: () => {},
  });
  window.addEventListener("pagehide", () => feed.stop());
}
