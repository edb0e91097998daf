/* The list of releases below a comparison: their progress, dialogs and actions. */

import { watchDialogs } from "./dialogs.js";
import { watchJobActions } from "./job_actions.js";
import { swapSoon, watchStates } from "./job_status.js";

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
