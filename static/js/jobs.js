/* The jobs drawer. Other modules hear "cairn:jobs" on document when a job ends or one appears; `stir()` looks at once. */

import { get, post } from "./api.js";
import { $, announce, count, done, duration, el } from "./dom.js";

const BUSY_MS = 1000;
const IDLE_MS = 15_000;

let timer = null;
let known = new Map();
let looking = false;

const mean = (jobs) => jobs.reduce((sum, job) => sum + job.progress, 0) / jobs.length;

/** In words, and in few for a phone. */
function title(jobs) {
  const running = jobs.filter((job) => job.state === "running").length;
  if (!jobs.length) return ["Jobs", "Jobs"];
  const all = count(jobs.length, "job");
  if (!running) return [`${all} waiting`, all];
  const share = done(mean(jobs));
  return [`${running < jobs.length ? `${running} of ${all}` : all} running · ${share}`, `${all} · ${share}`];
}

function words(job) {
  if (job.state === "queued") return "waiting for a worker";
  const left = job.eta_s === null || job.eta_s === undefined ? "" : ` · ${duration(Math.max(Math.ceil(job.eta_s), 1))} left`;
  return `${(job.stage || "running").toLowerCase()} · ${done(job.progress)}${left}`;
}

async function cancel(job, button) {
  button.disabled = true;
  try {
    await post(job.urls.cancel);
    announce(`${job.title} is being cancelled.`);
  } catch (error) {
    announce(error.message);
  }
  stir();
}

function entry(job) {
  const link = el("a", { href: job.urls.page }, job.title);
  const note = el("p", { class: "small muted" });
  const bar = el("progress", { class: "progress", max: 1, "aria-label": job.title });
  const stop =
    job.urls.cancel &&
    el("button", { class: "button button--small", type: "button", "aria-label": `Cancel ${job.title}` }, "Cancel");
  if (stop) stop.addEventListener("click", () => cancel(job, stop));
  const item = el("li", { class: "job", dataset: { job: job.id } }, el("div", {}, link, note), stop, bar);
  return { item, note, bar };
}

const shown = new Map();

/** Rows are updated in place: a focused Cancel button keeps its focus. */
function draw(jobs) {
  const button = $("[data-jobs-button]");
  const list = $("[data-jobs-list]");
  const [long, short] = title(jobs);
  $("[data-long]", button).textContent = long;
  $("[data-short]", button).textContent = short;
  $("[data-jobs-none]").hidden = jobs.length > 0;
  for (const [id, row] of shown) {
    if (jobs.some((job) => job.id === id)) continue;
    row.item.remove();
    shown.delete(id);
  }
  for (const job of jobs) {
    if (!shown.has(job.id)) {
      shown.set(job.id, entry(job));
      list.append(shown.get(job.id).item);
    }
    const row = shown.get(job.id);
    row.note.textContent = words(job);
    row.bar.hidden = job.state !== "running";
    row.bar.value = job.progress;
  }
}

function compare(jobs) {
  const before = known;
  known = new Map(jobs.map((job) => [job.id, job]));
  const ended = [...before.values()].filter((job) => !known.has(job.id));
  const begun = jobs.filter((job) => !before.has(job.id));
  for (const job of ended) announce(`${job.title} has ended.`);
  if (ended.length || begun.length) {
    document.dispatchEvent(new CustomEvent("cairn:jobs", { detail: { ended, begun, open: jobs } }));
  }
}

async function look() {
  if (looking) return;
  looking = true;
  clearTimeout(timer);
  try {
    const { results } = await get($("#jobs").dataset.url);
    draw(results);
    compare(results);
    document.dispatchEvent(new CustomEvent("cairn:progress", { detail: results }));
  } catch (error) {
    if (error.status === 401) return; // logged out elsewhere: stop asking
  } finally {
    looking = false;
  }
  timer = setTimeout(look, known.size && !document.hidden ? BUSY_MS : IDLE_MS);
}

/** Look now: something was just started or stopped. */
export function stir() {
  clearTimeout(timer);
  return look();
}

export function watchJobs() {
  document.addEventListener("visibilitychange", () => document.hidden || stir());
  return look();
}
