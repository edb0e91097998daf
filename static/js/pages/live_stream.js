/* The page of one live stream: charts that advance, pause and close. */

import { post } from "../core/api.js";
import { $, announce, data } from "../core/dom.js";
import { count, number } from "../core/format.js";
import { attemptIn } from "../components/problem_box.js";
import { createCountChart } from "../stream/count_chart.js";
import { createLiveFeed, windowSums, withFresh } from "../stream/live_feed.js";

/** @typedef {import("../stream/live_feed.js").Timestamp} Timestamp */

const DRAW_MS = 200; // at most so often
const TEXTS = {
  live: "Connected: new timestamps appear at once.",
  polling: "New timestamps are requested every 2 seconds.",
  lost: "No connection to the server. It is tried again.",
  over: "The stream is closed.",
  gone: "You have no access to this stream any more.",
};
const page = data("page-data");
const select = $("[data-dimension]");
const problem = $("[data-problem]");
/** @type {Timestamp[]} */
let rows = page.recent;
/** @type {number[]} What up to w - 1 timestamps before them spent */
let earlier = page.earlier;
let published = page.published;
let timer = 0;

/** @type {Promise<any[]> | null} */
let charts = null;

/** The charts; their library is loaded once there is something to draw. */
function created() {
  const title = `ε spent in the last ${count(page.window, "timestamp")}`;
  charts ??= Promise.all([
    createCountChart($("[data-chart]"), { title: "Published counts", name: "live-counts" }),
    createCountChart($("[data-budget-chart]"), { title, name: "live-budget", unit: "ε" }),
  ]);
  return charts;
}

const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);
const valueOf = (/** @type {Timestamp} */ row) => (select.value ? row.counts[Number(select.value)] : sum(row.counts));
const nameOf = () => (select.value ? page.dimensions[Number(select.value)] : "sum of all dimensions");

async function draw() {
  timer = 0;
  if (!rows.length) return;
  const [counts, spending] = await created();
  const index = rows.map(({ position }) => position);
  const shown = { index, labels: rows.map(({ time }) => time), timestamps: published, name: nameOf() };
  const span = /** @type {[number, number]} */ ([index[0], Math.max(index[index.length - 1], index[0] + 1)]);
  const line = { name: "Published", ...page.style, id: "published", y: rows.map(valueOf) };
  await counts.draw({ ...shown, span }, [line]);
  const limit = { id: "limit", name: "Limit", colour: "--muted", dash: "7 4", y: rows.map(() => page.epsilon) };
  await spending.draw({ ...shown, name: "", span }, [
    { ...line, name: "Spent", y: windowSums({ rows, earlier }, page.window) },
    limit,
  ]);
}

function schedule() {
  if (!timer) timer = window.setTimeout(draw, DRAW_MS);
}

function add(/** @type {Timestamp[]} */ fresh) {
  ({ rows, earlier } = withFresh({ rows, earlier }, fresh, page.window, page.dimensions.length));
  const last = rows[rows.length - 1];
  published = last.position + 1;
  $("[data-empty]").hidden = true;
  $("[data-last]").textContent = `Last timestamp: ${last.time}`;
  $("[data-published]").textContent = count(published, "timestamp");
  schedule();
}

function show(/** @type {import("../stream/live_feed.js").State} */ { state, window_spent: spent }) {
  $("[data-window]").value = spent;
  $("[data-spent]").textContent = number(spent);
  if (state === page.state) return;
  page.state = state;
  $("[data-state-title]").textContent = page.states[state];
  const toggle = $("[data-toggle]");
  if (toggle) {
    toggle.textContent = state === "paused" ? "Resume" : "Pause";
    toggle.hidden = state === "closed";
    $("[data-close]").hidden = state === "closed";
  }
  announce(page.states[state]);
}

async function change(/** @type {"pause" | "resume" | "close"} */ action) {
  const row = await attemptIn(problem, () => post(`${page.urls.self}${action}/`));
  if (row) show(row);
}

const dialog = $("[data-close-dialog]"); // editors have it, and the buttons while the stream is not closed
$("[data-toggle]")?.addEventListener("click", () => change(page.state === "paused" ? "resume" : "pause"));
$("[data-close]")?.addEventListener("click", () => dialog.showModal());
if (dialog) {
  $("[data-cancel]", dialog).addEventListener("click", () => dialog.close());
  $("[data-confirm]", dialog).addEventListener("click", () => {
    dialog.close();
    return change("close");
  });
}
select.addEventListener("change", draw);
await draw();
if (page.state !== "closed") {
  const after = rows.length ? rows[rows.length - 1].position + 1 : 0;
  const feed = createLiveFeed(page.urls, after, {
    onRows: add,
    onState: show,
    onConnection: (how) => {
      $("[data-connection]").textContent = TEXTS[how];
    },
  });
  window.addEventListener("pagehide", () => feed.stop());
}
