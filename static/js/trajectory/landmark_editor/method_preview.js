/* What a method would mark, requested from the server: only the last request counts. */

import { post } from "../../core/api.js";

const WAIT_MS = 220;

/**
 * `request()` sends a little later, `now()` at once, `stop()` drops what was requested. `describe()` gives the method
 * or null for no request; `on.busy(bool)`, `on.found(answer)`, `on.failed(errors)` receive the results.
 */
export function createPreview({ url, dataset, describe, on }) {
  /** @type {any} */
  let waiting = null;
  let requests = 0;

  function stop() {
    clearTimeout(waiting);
    requests += 1;
    on.busy(false);
  }

  async function now() {
    stop();
    const method = describe();
    if (!method) return;
    const mine = requests;
    on.busy(true);
    try {
      const found = await post(url, { dataset, method });
      if (mine === requests) on.found(found);
    } catch (error) {
      if (mine === requests) on.failed(error.errors ?? [error]);
    } finally {
      if (mine === requests) on.busy(false);
    }
  }

  function request() {
    clearTimeout(waiting);
    requests += 1;
    on.busy(true); // what is shown belongs to an earlier method from here on
    waiting = setTimeout(now, WAIT_MS);
  }

  return { request, now, stop };
}
