/* A report of releases of count streams or check-ins to print: a chart of counts or a map of cells, always light. */

import { createChart } from "../charts/chart.js";
import { createCellsMap } from "../checkins/cells.js";
import { $, $$, data } from "../core/dom.js";
import { nearestIndex } from "../core/sorted_search.js";

const RATIO = 3; // pixels of the map for one of the page's: 288 for an inch of paper
const TICKS = 6;
const LONGEST = 16; // characters of a label on the axis

const page = data("page-data");
const sheet = $("[data-sheet]");

async function drawChart(/** @type {HTMLElement} */ host, /** @type {any} */ curves) {
  const { index, labels, timestamps, name } = curves;
  const released = page.releases.map((/** @type {any} */ { id, title, style }, /** @type {number} */ i) => ({
    id,
    name: title,
    x: index,
    y: curves.released[i],
    colour: style.colour,
    dash: style.dash,
    marker: style.marker,
  }));
  const original = { id: "original", name: "Original", x: index, y: curves.original, colour: "--foreground" };
  const lines = curves.original ? [original, ...released] : released;
  const places = Array.from({ length: Math.min(TICKS, index.length) }, (_, i, all = Math.min(TICKS, index.length)) =>
    Math.round((i * (index.length - 1)) / Math.max(all - 1, 1)),
  );
  const ticks = {
    at: places.map((place) => index[place]),
    text: places.map((place) => labels[place].slice(0, LONGEST)),
  };
  const chart = await createChart(host, {
    label: () => `Counts of ${name}: ${lines.map((line) => line.name).join(", ")}.`,
  });
  const pointName = (/** @type {number} */ at) => labels[nearestIndex(index, at)] ?? "";
  await chart.draw({
    lines,
    rules: [],
    bands: [],
    span: [0, Math.max(1, timestamps - 1)],
    log: false,
    ticks,
    item: "timestamp",
    titles: { y: "count" },
    pointName,
  });
}

function drawMap(/** @type {HTMLElement} */ host, /** @type {any[]} */ cells) {
  host.dataset.ratio = String(RATIO);
  createCellsMap(host, "Map of the most visited cells").show(cells);
  host.tabIndex = -1;
  host.setAttribute("role", "img");
}

async function start() {
  if (page.kind === "stream") await drawChart($("[data-chart]"), page.curves);
  else drawMap($("[data-map]"), page.places[0]);
  await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  const button = $("[data-print]");
  button.disabled = false;
  button.addEventListener("click", () => window.print());
  sheet.dataset.ready = "all";
}

for (const choice of $$("input[name=for], select[name=series]"))
  choice.addEventListener("change", () => choice.form.requestSubmit());

start().catch((error) => {
  $("[data-frame]").textContent = `The figures could not be drawn: ${error.message}`;
});
