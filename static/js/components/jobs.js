/* Jobs, polled at a rising interval. Other modules receive "cairn:jobs" on document when a job begins or
   ends, "cairn:progress" after every look; `refreshJobs()` looks at once. */

import { createDrawer } from "./jobs_drawer.js";
import { get } from "../core/api.js";
import { $, announce, el } from "../core/dom.js";
import { count } from "../core/format.js";

const BUSY = { first: 1000, most: 5000, by: 1.25 }; // while anything waits or runs; slower where nothing moves
const IDLE = { first: 15_000, most: 120_000, by: 2 }; // jobs that began elsewhere, by the API or in another tab
const MISSED = { first: 2000, most: 60_000, by: 2 };

/** @type {any} */
let timer = null;
/** @type {any} */
let wait = null; // {pace, ms} of the last look
let open = new Map();
let before = "";
/** @type {any} */
let polling = null;
let again = false;
/** @type {any} */
let drawer = null;

const OUTCOMES = { done: "is done", ready: "is ready", cancelled: "was cancelled", failed: "failed" };

/** One sentence for a screen reader: how jobs ended, never how far they are. */
function announceEnded(closed, ended) {
  const finished = closed.map((job) => ({ title: job.title, ...ended.find(({ id }) => id === job.id) }));
  const failed = finished.filter(({ state }) => state === "failed").length;
  if (finished.length > 2) announce(`${count(finished.length, "job")} ended${failed ? `, ${failed} failed` : ""}.`);
  else if (finished.length)
    announce(
      finished
        .map(
          ({ title, state, error }) =>
            `${title} ${OUTCOMES[state] ?? "has ended"}${state === "failed" ? `: ${error.message}` : "."}`,
        )
        .join(" "),
    );
}

/** Of many jobs only some are listed: then one that is not listed any more has ended only if it is among `ended`. */
function compare(jobs, all, ended) {
  const known = open;
  open = new Map(jobs.map((job) => [job.id, job]));
  const over = new Set(ended.map(({ id }) => id));
  const closed = [...known.values()].filter((job) => !open.has(job.id) && (all || over.has(job.id)));
  const opened = jobs.filter((job) => !known.has(job.id));
  announceEnded(closed, ended);
  if (closed.length || opened.length) {
    document.dispatchEvent(new CustomEvent("cairn:jobs", { detail: { ended: closed, begun: opened, open: jobs } }));
  }
}

const NO_WORKER =
  "No worker answers, so jobs wait; they are stored and start as soon as one does. The operator of this server can " +
  "restart Cairn, or start a worker with: celery -A dashboard.config.celery:app worker";

/** The banner of every page. @param {boolean} silent */
function showSilence(silent) {
  const banner = $("[data-no-worker]");
  if (banner.hidden !== silent) return;
  banner.hidden = !silent;
  banner.replaceChildren(...(silent ? [el("p", { class: "notice notice--error" }, NO_WORKER)] : []));
}

/** How long to wait: as long as before and a bit more, unless something moved or the pace is another. */
export function slower(pace, moved) {
  const ms = moved || wait?.pace !== pace ? pace.first : Math.min(wait.ms * pace.by, pace.most);
  wait = { pace, ms };
  return ms;
}

async function fetchJobs() {
  const { results, open: number, ended, no_worker } = await get($("#jobs").dataset.url, { background: true });
  const now = JSON.stringify(
    [...results, ...ended].map(({ id, state, stage, progress }) => [id, state, stage, progress]),
  );
  const moved = now !== before;
  before = now;
  drawer.draw(results, number, ended);
  showSilence(no_worker);
  compare(results, number === results.length, ended);
  document.dispatchEvent(new CustomEvent("cairn:progress", { detail: results }));
  return slower(results.length ? BUSY : IDLE, moved);
}

async function pollOnce() {
  let ms;
  do {
    again = false;
    try {
      ms = await fetchJobs();
    } catch (error) {
      if (error.status === undefined) throw error; // ours, and not to be requested again and again
      if (error.status === 401) return; // logged out elsewhere: stop polling
      ms = Math.max(slower(MISSED, false), (error.retryAfter ?? 0) * 1000);
    }
  } while (again);
  if (!document.hidden) timer = setTimeout(start, ms); // a hidden page requests nothing until it is seen again
}

function start() {
  polling ??= pollOnce().finally(() => (polling = null));
  return polling;
}

/** Look now: something was just started or stopped. */
export function refreshJobs() {
  clearTimeout(timer);
  again = polling !== null;
  return start();
}

export function watchJobs() {
  const host = $("#jobs");
  drawer = createDrawer(host, $("[data-jobs-button]"), refreshJobs);
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : refreshJobs()));
  window.addEventListener("focus", () => wait?.pace !== BUSY && refreshJobs());
  host.addEventListener("toggle", ({ newState }) => newState === "open" && refreshJobs());
  return start();
}
