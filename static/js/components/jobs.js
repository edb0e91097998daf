/* Jobs, polled at a rising interval. Other modules receive "cairn:jobs" on document when a job begins or
   ends, "cairn:progress" after every look; `refreshJobs()` looks at once. */

import { get, post } from "../core/api.js";
import { $, announce, el } from "../core/dom.js";
import { count, done, duration, queued } from "../core/format.js";
import { showText, smallButton } from "../core/elements.js";

const BUSY = { first: 1000, most: 5000, by: 1.25 }; // while anything waits or runs; slower where nothing moves
const IDLE = { first: 15_000, most: 120_000, by: 2 }; // jobs that began elsewhere, by the API or in another tab
const MISSED = { first: 2000, most: 60_000, by: 2 };

let timer, polling, drawer;
let wait; // {pace, ms} of the last look
let open = new Map();
let before = "";
let again = false;

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
  banner.replaceChildren(...(silent ? [el("p.notice.notice--error", NO_WORKER)] : []));
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
  again = Boolean(polling);
  return start();
}

export function watchJobs() {
  const host = $("#jobs");
  drawer = createDrawer(host, $("[data-jobs-button]"));
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : refreshJobs()));
  window.addEventListener("focus", () => wait?.pace !== BUSY && refreshJobs());
  host.addEventListener("toggle", ({ newState }) => newState === "open" && refreshJobs());
  return start();
}

const OVER = { done: "done", ready: "ready", cancelled: "cancelled" };

/** The button's text, and a short one for a phone; `number` jobs are open, of which `jobs` are listed. */
export function title(jobs, number, failed) {
  const running = jobs.filter((job) => job.state === "running").length;
  if (!jobs.length) return failed ? [`${count(failed, "job")} failed`, `${failed} failed`] : ["Jobs", "Jobs"];
  const all = count(number, "job");
  if (!running) return [`${all} waiting`, all];
  const share = done(jobs.reduce((sum, job) => sum + job.progress, 0) / jobs.length);
  return [`${running < number ? `${running} of ${all}` : all} running · ${share}`, `${all} · ${share}`];
}

/** What is not listed. @param {number} number */
function showMore(line, number) {
  line.hidden = number <= 0;
  line.textContent = `${count(number, "job")} more in the queue.`;
}

export function statusText(job) {
  if (job.state === "queued") return queued(job.queue_position);
  if (job.state === "failed") return `failed: ${job.error.message}`;
  if (job.state !== "running") return OVER[job.state];
  const left =
    job.eta_s === null || job.eta_s === undefined ? "" : ` · ${duration(Math.max(Math.ceil(job.eta_s), 1))} left`;
  return `${(job.stage || "running").toLowerCase()} · ${done(job.progress)}${left}`;
}

/**
 * A row that is filled again and again: its buttons are there from the start, so that none goes from under a finger.
 */
function createRow(job, act) {
  const link = el("a", { href: job.urls.page }, job.title);
  const [note, advice] = [el("p.small.muted.job__note"), el("p.small.muted")];
  const bar = el("progress.progress", { max: 1, "aria-label": job.title });
  const buttons = Object.entries({ cancel: "Cancel", retry: "Retry", dismiss: "Dismiss" }).map(([what, text]) => {
    const style = what === "dismiss" ? "button--quiet" : "";
    const button = smallButton(text, `${text} ${job.title}`, () => act(what, job, button), { style });
    return /** @type {[string, HTMLButtonElement]} */ ([what, button]);
  });
  const item = el(
    "li.job",
    { dataset: { job: job.id } },
    el("div.job__text", link, note, advice),
    el("div.job__buttons.line", ...buttons.map(([, button]) => button)),
    bar,
  );
  return {
    item,
    fill(now) {
      job = now;
      item.classList.toggle("job--failed", job.state === "failed");
      note.textContent = statusText(job);
      advice.textContent = job.error?.action ?? "";
      advice.hidden = !job.error;
      bar.hidden = job.state !== "running";
      bar.value = job.progress;
      for (const [what, button] of buttons) {
        button.hidden = !job.urls[what];
        if (button.hidden) button.disabled = false;
      }
    },
  };
}

/**
 * The drawer in `host`, opened by `button`. `draw(open, number, ended)` fills it with jobs as GET /api/v1/jobs/ does;
 * `refreshJobs` is called after something was done here. Rows are patched in place, and focus stays in the drawer.
 */
function createDrawer(host, button) {
  const lists = { open: $("[data-jobs-list]", host), ended: $("[data-jobs-over]", host) };
  const heading = $("h2", host);
  const rows = new Map();
  let over = [];
  let held; // the button pressed last, as long as focus is nowhere else: disabled, it lost it

  async function act(what, job, pressed) {
    held = pressed;
    pressed.disabled = true;
    problem("");
    try {
      await post(job.urls[what]);
      if (what !== "dismiss")
        announce(what === "cancel" ? `${job.title} is being cancelled.` : `${job.title} is queued again.`);
    } catch (error) {
      pressed.disabled = false;
      announce(error.message);
      problem(error.message);
    }
    await refreshJobs();
  }

  const problem = (text) => showText($("[data-jobs-problem]", host), text);

  async function clear() {
    await Promise.allSettled(over.map(({ urls }) => post(urls.dismiss)));
    heading.focus();
    await refreshJobs();
  }
  $("[data-jobs-clear]", host).addEventListener("click", clear);

  function place(list, jobs) {
    for (const [i, job] of jobs.entries()) {
      if (!rows.has(job.id)) rows.set(job.id, createRow(job, act));
      const { item, fill } = rows.get(job.id);
      if (list.children[i] !== item) list.insertBefore(item, list.children[i] ?? null);
      fill(job);
    }
  }

  return {
    draw(open, number, ended) {
      over = ended;
      const focused = host.contains(document.activeElement)
        ? document.activeElement
        : document.activeElement === document.body
          ? held
          : null;
      const neighbour = focused?.closest(".job")?.nextElementSibling;
      const [long, short] = title(open, number, ended.filter(({ state }) => state === "failed").length);
      $("[data-long]", button).textContent = long;
      $("[data-short]", button).textContent = short;
      for (const [id, { item }] of rows) {
        if ([...open, ...ended].some((job) => job.id === id)) continue;
        item.remove();
        rows.delete(id);
      }
      place(lists.open, open);
      place(lists.ended, ended);
      $("[data-jobs-none]", host).hidden = open.length > 0;
      showMore($("[data-jobs-more]", host), number - open.length);
      $("[data-jobs-ended]", host).hidden = ended.length === 0;
      $("[data-jobs-clear]", host).hidden = ended.length < 2;
      if (focused && (focused !== document.activeElement || focused.hidden || focused.disabled))
        refocus(focused, neighbour);
    },
  };

  /**
   * Where focus goes when its button is gone or has another action: the row's next one, the next row's, the heading.
   */
  function refocus(focused, neighbour) {
    const usable = (row) => row?.isConnected && $("button:not([hidden], :disabled)", row);
    const same = focused.isConnected && !focused.hidden && !focused.disabled && focused; // its row was only moved
    (same || usable(focused.closest(".job")) || usable(neighbour) || heading).focus({ preventScroll: true });
    held = null;
  }
}
