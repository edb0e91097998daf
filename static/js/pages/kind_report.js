/* A report of releases of count streams or check-ins to print: a chart of counts or a map of cells, always light. */

import { createCellsMap } from "../checkins/cells.js";
import { $, $$, data } from "../core/dom.js";
import { drawReleasedCounts } from "../stream/released_counts.js";

const RATIO = 3; // pixels of the map for one of the page's: 288 for an inch of paper

const page = data("page-data");
const sheet = $("[data-sheet]");

function drawMap(/** @type {HTMLElement} */ host, /** @type {any[]} */ cells) {
  host.dataset.ratio = String(RATIO);
  createCellsMap(host, "Map of the most visited cells").show(cells);
  host.tabIndex = -1;
  host.setAttribute("role", "img");
}

async function start() {
  if (page.kind === "stream") await drawReleasedCounts($("[data-chart]"), page.curves, page.releases);
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
