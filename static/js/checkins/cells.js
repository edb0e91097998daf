/* Cells of a grid, ranked by their counts: on the map and in a table. */

import { el } from "../core/dom.js";
import { whole } from "../core/format.js";
import { createMap } from "../map/map.js";

/**
 * @typedef {{rank: number, cell: number, west: number, south: number, east: number, north: number,
 *   count: number}} Cell
 */

const LABELLED = 10; // cells with their rank on the map

/** The centre of a cell as people write it: 40.7421° N, 73.9872° W. */
export function placeOf(/** @type {Cell} */ { west, south, east, north }) {
  const [lon, lat] = [(west + east) / 2, (south + north) / 2];
  return `${Math.abs(lat).toFixed(4)}° ${lat < 0 ? "S" : "N"}, ${Math.abs(lon).toFixed(4)}° ${lon < 0 ? "W" : "E"}`;
}

/** West, south, east and north around cells. */
export const boundsOf = (/** @type {Cell[]} */ cells) => [
  Math.min(...cells.map(({ west }) => west)),
  Math.min(...cells.map(({ south }) => south)),
  Math.max(...cells.map(({ east }) => east)),
  Math.max(...cells.map(({ north }) => north)),
];

/** A cell as a zone of the map, the first ones with their rank. */
export const polygonOf = (/** @type {Cell} */ { rank, west, south, east, north }) => ({
  type: "Polygon",
  coordinates: [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ],
  label: rank <= LABELLED ? String(rank) : "",
  inside: true,
});

/**
 * A map of cells in `host`: `show(cells)` replaces them, `select(index)` marks one.
 *
 * @param {HTMLElement} host
 * @param {string} label
 */
export function createCellsMap(host, label) {
  /** @type {any} */
  let map = null;
  /** @type {any[]} */
  let zones = [];
  return {
    /** @param {Cell[]} cells */
    show(cells) {
      if (!cells.length) return;
      map ??= createMap(host, { bounds: /** @type {any} */ (boundsOf(cells)), label });
      zones = cells.map(polygonOf);
      map.addZones({ id: "cells", zones, selected: -1 });
    },
    /** @param {number} index */
    select: (index) => map?.addZones({ id: "cells", zones, selected: index }),
  };
}

/**
 * Rows of a table of cells; `on.hover(index)` when the pointer or the focus is on one, -1 when it leaves.
 *
 * @param {HTMLElement} body
 * @param {Cell[]} cells
 * @param {{hover: (index: number) => void}} on
 */
export function fillCells(body, cells, { hover }) {
  const row = (/** @type {Cell} */ cell, /** @type {number} */ i) =>
    el(
      "tr",
      { onmouseenter: () => hover(i), onmouseleave: () => hover(-1) },
      el("td", { class: "number" }, whole(cell.rank)),
      el("th", { scope: "row" }, placeOf(cell)),
      el("td", { class: "number" }, whole(cell.count)),
    );
  body.replaceChildren(...cells.map(row));
}
