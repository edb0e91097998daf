/* The jobs drawer: what runs with its stage, share and time left; what ended, and what to do where it failed. */

import { post } from "../core/api.js";
import { $, announce, el } from "../core/dom.js";
import { showText, smallButton } from "../core/elements.js";
import { count, done, duration, queued } from "../core/format.js";

const OVER = { done: "done", ready: "ready", cancelled: "cancelled" };

const mean = (jobs) => jobs.reduce((sum, job) => sum + job.progress, 0) / jobs.length;

/** The button's text, and a short one for a phone; `number` jobs are open, of which `jobs` are listed. */
export function title(jobs, number, failed) {
  const running = jobs.filter((job) => job.state === "running").length;
  if (!jobs.length) return failed ? [`${count(failed, "job")} failed`, `${failed} failed`] : ["Jobs", "Jobs"];
  const all = count(number, "job");
  if (!running) return [`${all} waiting`, all];
  const share = done(mean(jobs));
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
  const [note, advice] = [el("p", { class: "small muted job__note" }), el("p", { class: "small muted" })];
  const bar = el("progress", { class: "progress", max: 1, "aria-label": job.title });
  const buttons = Object.entries({ cancel: "Cancel", retry: "Retry", dismiss: "Dismiss" }).map(([what, text]) => {
    const style = what === "dismiss" ? "button--quiet" : "";
    const button = smallButton(text, `${text} ${job.title}`, () => act(what, job, button), { style });
    return /** @type {[string, HTMLButtonElement]} */ ([what, button]);
  });
  const item = el(
    "li",
    { class: "job", dataset: { job: job.id } },
    el("div", { class: "job__text" }, link, note, advice),
    el("div", { class: "job__buttons" }, ...buttons.map(([, button]) => button)),
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
export function createDrawer(host, button, refreshJobs) {
  const lists = { open: $("[data-jobs-list]", host), ended: $("[data-jobs-over]", host) };
  const heading = $("h2", host);
  const rows = new Map();
  let over = [];
  /** @type {any} */
  let held = null; // the button pressed last, as long as focus is nowhere else: disabled, it lost it

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
