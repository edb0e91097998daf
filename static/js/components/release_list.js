/* The list of releases below a comparison: their progress, dialogs and actions. */

import { watchDialogs } from "./dialogs.js";
import { watchJobActions } from "./job_actions.js";
import { swapSoon, watchStates } from "./job_status.js";

/** Update the list when a job changes; reload the page when a release is done, renamed or discarded. */
export function watchReleases() {
  const refresh = swapSoon("releases", "header-budget");
  watchStates(refresh, () => location.reload()); // the chart or map also shows the new release
  watchDialogs(() => location.reload());
  watchJobActions(refresh);
}
