/* What a comparison of check-ins shows beside its map: the legend, the lists, what a release protects. */

import { $, $$, announce, el } from "../core/dom.js";
import { count, whole } from "../core/format.js";
import { fillDownloads } from "./downloads.js";
import { shareText } from "./evaluation_data.js";
import { fillPlaces, fillRanking } from "./ranking.js";

/** @typedef {import("./comparison.js").State} State */

/** @param {State} state @param {number[] | null} densities */
export function drawLegend({ release, grid, model, density, history }, densities) {
  const most = densities ? Math.max(...densities, 0) : 0;
  $("[data-legend=density]").hidden = !densities;
  const published = release.seeded ? "Density, simulated" : "Density, private";
  const what = density === "truth" ? "Check-ins, owner only" : published;
  $("[data-legend-density]").textContent = `${what}: 0 to ${whole(most)}, square root scale`;
  for (const one of $$("[data-boxes-row], [data-legend=boxes]")) one.hidden = !model.boxes.length;
  $("[data-boxes-count]").textContent = count(model.boxes.length, "box");
  $("[data-legend-boxes]").textContent = `Boxes of ${release.title}`;
  $("[data-grid-size]").textContent = `${grid.columns} × ${grid.rows}`;
  const places = count(history.length, "place");
  $("[data-legend-history]").textContent = history.length ? `History, ${places}` : "History, no place yet";
  $("[data-history-count]").textContent = places;
}

/**
 * @param {any} page
 * @param {State} state
 * @param {{name: (cell: number) => string, remove: (index: number) => void, hover: (cell: number) => void,
 *   add: (cell: number) => void}} on
 */
export function drawLists(page, { answer, reference, history, release }, { name, remove, hover, add }) {
  fillPlaces($("[data-places]"), history.map(name), remove);
  for (const button of $$("[data-clear]")) button.disabled = !history.length;
  const found = new Map(reference.recommended.map((/** @type {any} */ one) => [one.cell, one]));
  const beside = (/** @type {number} */ cell) =>
    `#${whole(found.get(cell).rank)} · ${shareText(found.get(cell).share)}`;
  fillRanking($("[data-rows]"), answer.cells, { name, beside, k: page.k, on: { hover, add } });
  const last = history.length ? name(/** @type {number} */ (history.at(-1))) : "";
  $("[data-after]").textContent = last ? `after ${last}` : "without a history";
  const common = reference.recommended.filter((/** @type {any} */ { rank }) => rank <= page.k).length;
  $("[data-overlap]").textContent =
    `${common} of ${answer.cells.length} are in the non-private top ${page.k}. ` +
    "The non-private answer reads the uploaded check-ins: owner only.";
  const first = answer.cells[0];
  const text = first ? `${name(first.cell)} is first${last ? ` after ${last}` : ""}` : "no cell is recommended";
  announce(`${release.title}: ${text}.`);
}

/** @param {any} page @param {State} state */
export function drawRelease(page, { release }) {
  const texts = {
    "model-title": release.title,
    "model-date": release.date,
    "promise-title": release.promise_title,
    promise: release.promise,
    "losses-note": release.losses_note,
    "grid-facts": release.grid,
    "models-note": simulationsText(page.releases.filter((/** @type {any} */ { seeded }) => seeded).length),
  };
  for (const [name, text] of Object.entries(texts)) $(`[data-${name}]`).textContent = text;
  const cell = (/** @type {string} */ text) => el("td", { class: "number" }, text);
  const row = (/** @type {any} */ { protected: what, epsilon, ratio }) =>
    el("tr", {}, el("th", { scope: "row" }, what), cell(epsilon), cell(ratio));
  $("[data-losses]").replaceChildren(...release.losses.map(row));
  fillDownloads($("[data-downloads]"), release);
  $(`[name=model][value="${CSS.escape(release.id)}"]`).checked = true;
}

/** @param {number} simulations */
export function simulationsText(simulations) {
  if (!simulations) return "";
  const are = simulations === 1 ? "is a seeded simulation" : "are seeded simulations";
  return `${count(simulations, "model")} of the list ${are}: no budget, never published.`;
}
