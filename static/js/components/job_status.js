/* Progress of the rows a page shows, from what the jobs drawer receives; and drawing a list again when a job ends. */

import { $, $$ } from "../core/dom.js";
import { done } from "../core/format.js";
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
 * page shows as open is no longer so.
 */
export function watchStates(changed, over = changed) {
  document.addEventListener("cairn:progress", ({ detail }) => {
    for (const place of $$("[data-job]:not(.job)")) {
      const job = detail.find((one) => one.id === place.dataset.job);
      if (!job) over();
      if (job?.state !== "running") continue;
      $("progress", place).value = job.progress;
      $("[data-stage]", place).textContent = `${(job.stage || "running").toLowerCase()} · ${done(job.progress)}`;
    }
  });
  document.addEventListener("cairn:jobs", changed);
}
