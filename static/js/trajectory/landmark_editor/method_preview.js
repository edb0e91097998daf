/* What a method would mark, asked of the server: at most one question at a time counts, the last. */

import { post } from "../../core/api.js";

const WAIT_MS = 220;

/**
 * `ask()` asks a little later, `now()` at once, `stop()` drops what was asked. `describe()` gives the method or null
 * for nothing to ask; `on.busy(bool)`, `on.found(answer)`, `on.failed(errors)` hear what comes of it.
 */
export function createPreview({ url, dataset, describe, on }) {
  let waiting = null;
  let asked = 0;

  function stop() {
    clearTimeout(waiting);
    asked += 1;
    on.busy(false);
  }

  async function now() {
    stop();
    const method = describe();
    if (!method) return;
    const mine = asked;
    on.busy(true);
    try {
      const found = await post(url, { dataset, method });
      if (mine === asked) on.found(found);
    } catch (error) {
      if (mine === asked) on.failed(error.errors ?? [error]);
    } finally {
      if (mine === asked) on.busy(false);
    }
  }

  function ask() {
    clearTimeout(waiting);
    asked += 1;
    waiting = setTimeout(now, WAIT_MS);
  }

  return { ask, now, stop };
}
