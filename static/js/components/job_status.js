/* Progress of the rows a page shows, from what the jobs drawer receives; and drawing a list again when a job ends. */

import { $, $$ } from "../core/dom.js";
import { done, queued } from "../core/format.js";
import { refresh } from "../core/page_refresh.js";

/** A function that draws the parts again, once for many calls in a row; it resolves when they are drawn. */
export function swapSoon(...ids) {
  /** @type {any} */
  let running = null;
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
