/* The page of check-ins: the most visited cells on the map and in a table. */

import { get } from "../core/api.js";
import { $, el } from "../core/dom.js";
import { createCellsMap, fillCells } from "../checkins/cells.js";

const host = $("[data-map]");
try {
  const { cells } = await get(host.dataset.cells);
  const map = createCellsMap(host, "Map of the most visited cells");
  map.show(cells);
  fillCells($("[data-cells-rows]"), cells, { columns: ["count"], hover: map.select });
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  host.replaceWith(el("p", { class: "notice notice--error dataset__problem", role: "alert" }, text));
}
