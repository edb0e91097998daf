/* One experiment: charts that fill in while it runs, its numbers, and another one beside it. */

import { watchDialogs } from "../components/dialogs.js";
import { createPanels, fillLegend, fillView } from "../components/experiment/chart_panels.js";
import {
  alignedTo,
  axisLineStyles,
  axisTitle,
  comparable,
  indexOf,
  labelOf,
  panelsOf,
  usualView,
} from "../components/experiment/results_view.js";
import { fillNumbers } from "../components/experiment/results_table.js";
import { refreshJobs } from "../components/jobs.js";
import { ApiError, get, poll, post } from "../core/api.js";
import { $, $$, announce, data, el } from "../core/dom.js";
import { showText } from "../core/elements.js";
import { capitalized, done, duration, percent, queued } from "../core/format.js";

const { experiment, other, palette } = data("page-data");
const BESIDE = "2 3"; // the dash of the other experiment's lines
const MUTED = { colour: "--muted", dash: "13 4" };
const OPEN = ["queued", "running"];
const STATE_TEXTS = {
  done: "Done",
  cancelled: "Stopped. Computed cells are stored; Resume continues with the others.",
  failed: "Failed",
};

const panels = createPanels($("[data-panels]"), experiment.name);
const problem = $("[data-problem]");
const hidden = new Set();
let results, view, fetching;
let compared; // the other's results, where they are over the same axes
let shown = { progress: -1, state: "" };
let again = false;

// Charts ----------------------------------------------------------------------------

const lineName = (value) =>
  value === null ? results.measures[view.measure].title : labelOf(results, view.lines, value);

const sameMeasure = (one) => (other) =>
  JSON.stringify([one.name, one.parameters]) === JSON.stringify([other.name, other.parameters]);

/** Lines as charts take them, of one panel; those of the other experiment are dotted. */
function linesOf(lines, lineStyles, suffix = "") {
  const ends = results.band.map((share) => `${percent(share)} of the repetitions`);
  return lines.map(({ value, baseline, x, y, low, high, n }, i) => {
    const lineStyle = baseline ? MUTED : { ...lineStyles[value ?? 0], ...(suffix && { dash: BESIDE }) };
    const none = baseline && results.axes[view.facet].values.find((one) => one.none).label;
    const key = baseline ? `none${suffix}` : `${value}${suffix}`;
    const spread = n.some((count) => count > 1) && !suffix ? { low, high, ends } : {};
    return {
      id: `${key}-${i}`,
      key,
      name: `${baseline ? none : lineName(value)}${suffix}`,
      x,
      y,
      ...spread,
      colour: lineStyle.colour,
      dash: lineStyle.dash,
      marker: lineStyle.marker,
      lineStyle,
      visible: !hidden.has(key),
    };
  });
}

function panelLines() {
  const lineStyles = axisLineStyles(view.lines === null ? null : results.axes[view.lines], palette);
  const own = panelsOf(results, view).map(({ title, lines }) => ({ title, lines: linesOf(lines, lineStyles) }));
  const measure = compared?.measures.findIndex(sameMeasure(results.measures[view.measure])) ?? -1;
  if (measure < 0) return own;
  const second = panelsOf(compared.aligned, view, measure);
  return own.map(({ title, lines }, i) => ({
    title,
    lines: [
      ...lines,
      ...linesOf(
        second[i].lines.filter((line) => !line.baseline),
        lineStyles,
        `, ${other.name}`,
      ),
    ],
  }));
}

function horizontal() {
  const axis = view.along === null ? null : results.axes[view.along];
  const measured = results.marked || axis === null || axis.values.some(({ number }) => number === null);
  if (measured) return { name: "share of marked events", log: false };
  return { name: axisTitle(results, axis), short: axis.symbol || axis.title, log: axis.log };
}

function draw() {
  const measure = results.measures[view.measure];
  const all = panelLines();
  const lines = new Map(all.flatMap((panel) => panel.lines).map((line) => [line.key, line]));
  fillLegend($("[data-lines]"), [...lines.values()], hidden, draw);
  $("[data-measure]").textContent = measure.title;
  const key = JSON.stringify([view.measure, view.facet, view.along, view.lines, all.length]);
  const [low, high] = results.band.map((share) => percent(share));
  const spread = all.some((panel) => panel.lines.some((line) => line.low));
  $("[data-caption]").textContent =
    `Each point is the mean of a cell’s repetitions${spread ? `; shaded from ${low} to ${high} of them` : ""}.`;
  const beside = compared && {
    name: other.name,
    index: indexOf(compared),
    measure: compared.measures.findIndex(sameMeasure(measure)),
  };
  fillNumbers($("[data-numbers]"), $("[data-more]"), results, view.measure, beside?.measure >= 0 ? beside : null);
  const wide = !results.shares && measure.unit !== "%"; // errors of counts
  return panels.draw({ measure, wide, x: horizontal(), panels: all, key });
}

function choose(next) {
  view = next;
  hidden.clear();
  fillView($("[data-view]"), results, view, choose);
  return draw();
}

async function compare() {
  if (!other) return;
  const found = await get(other.urls.results);
  const text = $("[data-compared]");
  text.hidden = false;
  if (comparable(results, found)) {
    compared = { ...found, aligned: alignedTo(results, found) };
    text.textContent = `Dotted: ${other.name}. The table has its means and the ratio of this one’s to them.`;
  } else {
    text.textContent =
      `${other.name} is over other axes: ` +
      `${found.axes.map(({ title }) => title.toLowerCase()).join(", ") || "none"}. Only experiments ` +
      `over the same axes can be compared.`;
  }
}

function showMeasures() {
  const parts = results.measures.map(({ title, unit, summary, assumes, source }) => [
    el("dt", el("strong", title), unit && ` ${unit}`),
    el("dd", summary),
    el(
      "dd.muted",
      el(
        "details",
        el("summary", assumes.length ? "Assumptions and source" : "Source"),
        assumes.map((text) => el("p", text)),
        el("p", source),
      ),
    ),
  ]);
  $("[data-about]").replaceChildren(...parts.flat());
}

// While it runs ---------------------------------------------------------------------

function showProgress(row) {
  const open = OPEN.includes(row.state);
  const left = row.eta_s === null ? "" : ` · ${duration(Math.max(Math.ceil(row.eta_s), 1))} left`;
  $("[data-state-text]").textContent =
    row.state === "queued"
      ? capitalized(queued(row.queue_position))
      : open
        ? `Computing · ${done(row.progress)}${left}`
        : STATE_TEXTS[row.state];
  const bar = $("[data-progress]");
  bar.hidden = !open;
  if (row.state === "running") bar.value = row.progress;
  else bar.removeAttribute("value");
  $("[data-cancel]").hidden = !open;
  $("[data-resume]").hidden = !["cancelled", "failed"].includes(row.state);
  for (const link of $$("[data-table]")) {
    if (row.state === "done") link.removeAttribute("aria-disabled");
    else link.setAttribute("aria-disabled", "true");
  }
  showText(problem, row.state === "failed" ? `${row.error.message} ${row.error.action}` : "");
  if (shown.state && shown.state !== row.state && !open) announce(`${row.name}: ${STATE_TEXTS[row.state]}`);
}

async function fetchAndDraw() {
  do {
    again = false;
    results = await get(experiment.urls.results);
    if (view) await draw();
    else {
      await compare();
      await choose(usualView(results));
      showMeasures();
      $("[data-results]").dataset.ready = "all";
    }
  } while (again);
}

/** Fetch the points and draw them; one fetch at a time, and one more if it was requested meanwhile. */
function refresh() {
  again = Boolean(fetching);
  fetching ??= fetchAndDraw().finally(() => (fetching = null));
  return fetching;
}

async function update(row) {
  const moved = row.progress !== shown.progress || row.state !== shown.state;
  showProgress(row);
  shown = row;
  if (moved && view) await refresh();
}

const watch = () =>
  poll(experiment.urls.detail, {
    every: (results?.points.length ?? 0) > 1500 ? 4000 : 700,
    onUpdate: (row) => attempt(() => update(row)),
  });

async function attempt(what) {
  try {
    await what();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    $("[data-results]").dataset.ready = "refused";
    showText(problem, error.message);
  }
}

function act(button, url, then) {
  button.addEventListener("click", () =>
    attempt(async () => {
      button.disabled = true;
      try {
        await update(await post(url));
        refreshJobs();
      } finally {
        button.disabled = false;
      }
      await then?.();
    }),
  );
}

act($("[data-cancel]"), experiment.urls.cancel);
act($("[data-resume]"), experiment.urls.retry, watch);
$("[data-downloads]").addEventListener("click", (event) => {
  if (!event.target.closest("[aria-disabled=true]")) return;
  event.preventDefault();
  announce("The table can be downloaded once the experiment is done.");
});
$("[data-with]").addEventListener("change", ({ target }) => {
  const to = new URL(location.href);
  if (target.value) to.searchParams.set("with", target.value);
  else to.searchParams.delete("with");
  location.assign(to);
});
watchDialogs((what, button) => (what === "delete" ? location.assign(button.dataset.then) : location.reload()));
document.addEventListener("cairn:jobs", ({ detail }) => {
  const begun = detail.begun.some(({ id }) => id === experiment.id);
  if (begun && !OPEN.includes(shown.state)) attempt(watch); // resumed in the drawer
});

await attempt(refresh);
await attempt(watch);
