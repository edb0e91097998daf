/* The page of check-ins: the most visited cells on the map and in a table, and the most visited places. */

import { get } from "../core/api.js";
import { $, $$, el } from "../core/dom.js";
import { whole } from "../core/format.js";
import { createCellsMap, fillCells } from "../checkins/cells.js";

async function showCells(/** @type {HTMLElement} */ host) {
  const { cells } = await get(host.dataset.cells ?? "");
  const map = createCellsMap(host, "Map of the most visited cells");
  map.show(cells);
  fillCells($("[data-cells-rows]"), cells, { hover: map.select });
}

async function showPlaces(/** @type {HTMLElement} */ host) {
  const { places } = await get(host.dataset.places ?? "");
  $("[data-places-rows]").replaceChildren(...places.map(rowOf));
}

/** A row of the table; of a place with a name the identifier too, since two places may have one name. */
function rowOf(/** @type {{rank: number, place: string, name: string, checkins: number, users: number}} */ one) {
  const number = (/** @type {number} */ value) => el("td.number", whole(value));
  const named = [one.name, " ", el("span.muted.small", one.place)];
  const place = el("th", { scope: "row" }, one.name ? named : one.place);
  return el("tr", number(one.rank), place, number(one.checkins), number(one.users));
}

async function fill(/** @type {string} */ selector, /** @type {(host: HTMLElement) => Promise<void>} */ show) {
  for (const host of $$(selector)) {
    try {
      await show(host);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      host.replaceWith(el("p.notice.notice--error.dataset__problem", { role: "alert" }, text));
    }
  }
}

await Promise.all([fill("[data-map]", showCells), fill("[data-places]", showPlaces)]);
