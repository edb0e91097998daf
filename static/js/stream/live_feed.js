/* What a live stream publishes, as it is published: server-sent events, or requests from time to time; its windows. */

import { ApiError, get, post } from "../core/api.js";
import { $, announce } from "../core/dom.js";
import { number } from "../core/format.js";

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

const MOST = 2000; // timestamps that are drawn
const MOST_COUNTS = 2_000_000; // that are kept, fewer timestamps of many dimensions

/**
 * `earlier` is what up to w - 1 timestamps before `rows` spent.
 *
 * @typedef {{rows: Timestamp[], earlier: number[]}} Kept
 */

/** What each timestamp and those of its window before it spent. @param {Kept} kept @param {number} window */
export function windowSums({ rows, earlier }, window) {
  const budgets = [...earlier, ...rows.map(({ budget }) => budget)];
  /** @type {number[]} */
  const found = [];
  let total = 0;
  for (let i = 0; i < budgets.length; i += 1) {
    total += budgets[i];
    if (i >= window) total -= budgets[i - window];
    found.push(Math.max(total, 0));
  }
  return found.slice(earlier.length);
}

/**
 * The same with `fresh` timestamps after them, without the oldest where they are too many.
 *
 * @param {Kept} kept
 * @param {Timestamp[]} fresh
 * @param {number} window
 * @param {number} dimensions
 * @returns {Kept}
 */
export function withFresh({ rows, earlier }, fresh, window, dimensions) {
  const all = [...rows, ...fresh];
  const most = Math.max(1, Math.min(MOST, Math.floor(MOST_COUNTS / dimensions)));
  const left = all.slice(0, Math.max(all.length - most, 0)).map(({ budget }) => budget);
  return { rows: all.slice(-most), earlier: window > 1 ? [...earlier, ...left].slice(1 - window) : [] };
}

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
