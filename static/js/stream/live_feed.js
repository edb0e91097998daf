/* What a live stream publishes, as it is published: server-sent events, or requests from time to time without them. */

import { ApiError, get } from "../core/api.js";

const POLL_MS = 2000;
const FAILURES = 3; // of a connection in a row before requests take its place

/**
 * @typedef {{position: number, time: string, counts: number[], budget: number, published_at: string}} Timestamp
 * @typedef {{state: string, window_spent: number}} State
 * @typedef {"live" | "polling" | "lost" | "over" | "gone"} Connection
 * @typedef {object} Listeners
 * @property {(rows: Timestamp[]) => void} onRows
 * @property {(state: State) => void} onState
 * @property {(how: Connection) => void} onConnection
 */

/**
 * Calls `onRows(rows)` for new timestamps from position `after` on, in their order, each once; `onState(state)` when
 * the state of the stream or what its last window spent changes; `onConnection(how)` when the way they come changes.
 * Returns {stop()}.
 *
 * @param {{live: string, events: string}} urls
 * @param {number} after
 * @param {Listeners} on
 */
export function createLiveFeed(urls, after, { onRows, onState, onConnection }) {
  let position = after;
  let failures = 0;
  let timer = 0;
  let stopped = false;
  /** @type {EventSource | null} */
  let source = null;

  function take(/** @type {Timestamp[]} */ rows) {
    const fresh = rows.filter((row) => row.position >= position);
    if (!fresh.length) return;
    position = fresh[fresh.length - 1].position + 1;
    onRows(fresh);
  }

  function connect() {
    source = new EventSource(`${urls.live}?after=${position}`);
    source.addEventListener("open", () => {
      failures = 0;
      onConnection("live");
    });
    source.addEventListener("message", (event) => take([JSON.parse(event.data)]));
    source.addEventListener("state", (event) => onState(JSON.parse(event.data)));
    source.addEventListener("closed", () => end("over"));
    source.addEventListener("gone", () => end("gone"));
    source.addEventListener("error", () => {
      failures += 1;
      // refused (readyState CLOSED) or failing again and again; the browser reopens a connection that ended regularly
      if (source?.readyState !== EventSource.CLOSED && failures < FAILURES) return;
      source?.close();
      if (!stopped) poll();
    });
  }

  async function poll() {
    try {
      const found = await get(`${urls.events}?after=${position}`);
      if (stopped) return;
      take(found.results);
      onState(found);
      if (found.state === "closed" && position >= found.published) {
        end("over");
        return;
      }
      onConnection("polling");
    } catch (error) {
      if (stopped) return;
      if (error instanceof ApiError && [403, 404].includes(error.status)) {
        end("gone");
        return;
      }
      onConnection("lost");
    }
    if (!stopped) timer = window.setTimeout(poll, POLL_MS);
  }

  function end(/** @type {"over" | "gone"} */ how) {
    stop();
    onConnection(how);
  }

  function stop() {
    stopped = true;
    source?.close();
    window.clearTimeout(timer);
  }

  connect();
  return { stop };
}
