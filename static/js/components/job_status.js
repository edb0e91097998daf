/* Rows that follow their jobs, buttons that cancel and retry, lists that are drawn again when a job ends. */

import { $, $$, announce } from "../core/dom.js";
import { done, queued } from "../core/format.js";
import { refresh } from "../core/page_refresh.js";
import { post } from "../core/api.js";
import { watchDialogs } from "./dialogs.js";

/** A function that draws the parts again, once for many calls in a row; it resolves when they are drawn. */
export function swapSoon(...ids) {
  let running;
  let again = false;
  return function swap() {
    again = true;
    running ??= (async () => {
      try {
        while (again) {
          again = false;
          await refresh(...ids);
        }
      } finally {
        running = null;
      }
    })();
    return running;
  };
}

/**
 * Elements with data-job follow their job. `changed` is called when any job began or ended, `over` when one that this
 * page has shown as open is no longer so, also where `changed` has drawn it as ended before.
 */
export function watchStates(changed, over = changed) {
  const shown = new Set();
  const note = () => {
    for (const { dataset } of $$("[data-job]:not(.job)")) shown.add(dataset.job);
  };
  note();
  document.addEventListener("cairn:progress", ({ detail }) => {
    note();
    const open = new Map(detail.map((job) => [job.id, job]));
    const ended = [...shown].filter((id) => !open.has(id));
    for (const id of ended) shown.delete(id);
    if (ended.length) over();
    for (const place of $$("[data-job]:not(.job)")) {
      const job = open.get(place.dataset.job);
      if (job?.state === "queued") $("[data-stage]", place).textContent = queued(job.queue_position);
      if (job?.state !== "running") continue;
      $("progress", place).value = job.progress;
      $("[data-stage]", place).textContent = `${(job.stage || "running").toLowerCase()} · ${done(job.progress)}`;
    }
  });
  document.addEventListener("cairn:jobs", changed);
}

/**
 * Send the request of any [data-post] button that is pressed, then call `changed`; `done` before it, with the button
 * and the response, if the request succeeded.
 *
 * @param {() => unknown} changed
 * @param {(button: HTMLButtonElement, response: any) => void} [done]
 */
export function watchJobActions(changed, done) {
  document.addEventListener("click", async (event) => {
    const target = /** @type {Element} */ (event.target);
    const button = /** @type {HTMLButtonElement | null} */ (target.closest("[data-post]"));
    if (!button) return;
    button.disabled = true;
    try {
      const response = await post(button.dataset.post ?? "");
      done?.(button, response);
    } catch (error) {
      announce(error instanceof Error ? error.message : String(error));
    }
    await changed();
  });
}

/**
 * Update the list when a job changes; reload the page when a release is done, renamed or discarded. While `work.busy`
 * the page waits for several jobs, and reloads itself after the last.
 *
 * @param {{busy: boolean}} work
 */
export function watchReleases(work = { busy: false }) {
  const refresh = swapSoon("releases", "header-budget");
  const reload = () => work.busy || location.reload(); // the chart or map also shows the new release
  watchStates(refresh, reload);
  watchDialogs(reload);
  watchJobActions(refresh);
}
