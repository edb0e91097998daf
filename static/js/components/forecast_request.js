/* A request of what is typed to the server, after a pause: the newest alone is answered. */

import { ApiError, post } from "../core/api.js";

const PAUSE_MS = 200;

/**
 * `request(body)` after a pause of `usual` ms, `first` ms ahead of the first: the newest request alone is answered, to
 * `show(answer, body)` or `fail(errors)`. It returns whether it differs from the one before. `isWaiting()` until then:
 * what is shown is of an earlier request.
 */
export function createForecast(url, { show, fail, usual = PAUSE_MS, first = usual }) {
  /** @type {any[]} */
  let [timer, pending, last, waiting, pause] = [null, null, "", false, first];
  async function load(body) {
    pending = new AbortController();
    try {
      const found = await post(url, body, { signal: pending.signal });
      waiting = false;
      show(found, body);
    } catch (error) {
      if (error.name === "AbortError") return;
      waiting = false;
      if (!(error instanceof ApiError)) throw error;
      last = "";
      fail(error.errors);
    }
  }
  return {
    isWaiting: () => waiting,
    request(body) {
      const text = JSON.stringify(body);
      if (text === last) return false;
      [last, waiting] = [text, true];
      clearTimeout(timer);
      pending?.abort();
      timer = setTimeout(() => load(body), pause);
      pause = usual;
      return true;
    },
    stop() {
      clearTimeout(timer);
      pending?.abort();
      [last, waiting] = ["", false];
    },
  };
}
