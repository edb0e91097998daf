/* Cells of a grid, ranked by their counts: on the map and in a table. */

import { el } from "../core/dom.js";
import { whole } from "../core/format.js";
import { createMap } from "../map/map.js";
import { boundsOf, placeOf, polygonOf } from "./cell_places.js";

/** @typedef {import("./cell_places.js").Cell} Cell */

/**
 * A map of cells in `host`: `show(cells)` replaces them, `select(index)` marks one.
 *
 * @param {HTMLElement} host
 * @param {string} label
 */
export function createCellsMap(host, label) {
  let map;
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
      el("td.number", whole(cell.rank)),
      el("th", { scope: "row" }, placeOf(cell)),
      el("td.number", whole(cell.count)),
    );
  body.replaceChildren(...cells.map(row));
}
