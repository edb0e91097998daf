/* Counts of the cells of a grid on the map, at the selected time, which can be played. */

import { $, el } from "../core/dom.js";
import { createPlayback } from "../components/timeline_playback.js";
import { createMap } from "../map/map.js";
import { cellAt } from "../map/grid.js";
import { pixelsOf, rampNow } from "./raster.js";

const [EMPTY, FILLED] = [70, 215]; // opacity of 0 and of other counts, of 255

/**
 * The map of `grid` in the page's section. `draw({cells, column, shades, signed, selected, label})` shows one column of
 * `cells`; `bound(first, last)` are the columns that are played. P plays them where the focus is in this section or in
 * the plots.
 *
 * @param {Grid} grid
 * @param {import("./plot_scale.js").Axis} axis
 * @param {{at: () => number, selectColumn: (column: number) => void, selectCell: (cell: number) => void}} on
 */
export function createCountMap(grid, axis, on) {
  const { west, south, east, north } = grid;
  const map = createMap($("[data-map]"), { bounds: [west, south, east, north], label: "Map of the counts" });
  const playback = createPlayback({ at: on.at, select: on.selectColumn });
  playback.set({ n: axis.labels.length, time: axis.time_s });
  const now = el("p.muted");
  const { play, speed, other } = playback.elements;
  $("[data-playback]").replaceChildren(play, now, speed, other);
  for (const part of [$("[data-playback]").closest("section"), $("[data-plots]")])
    part.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key.toLowerCase() !== "p" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (/** @type {HTMLElement} */ (event.target).matches("input, select")) return; // where text is typed
      event.preventDefault();
      playback.toggle();
    });
  map.onClick((place) => {
    const cell = cellAt(grid, place);
    if (cell >= 0) on.selectCell(cell);
  });

  return {
    /** @param {{cells: Cells, column: number, shades: import("./raster.js").Shades, signed: boolean, selected: number,
     *   label: string}} what */
    draw({ cells, column, shades, signed, selected, label }) {
      const values = Float32Array.from({ length: cells.dimensions }, (_, cell) => cells.row(cell)[column]);
      const raster = { width: grid.columns, height: grid.rows, values };
      const pixels = pixelsOf(raster, shades, rampNow(signed), signed);
      for (let i = 0; i < values.length; i += 1) pixels[4 * i + 3] = values[i] === 0 ? EMPTY : FILLED;
      now.textContent = label;
      $("[data-map]").dataset.column = String(column);
      if (map.has("counts")) map.setStyle("counts", { pixels, selected });
      else map.addGrid({ id: "counts", grid, pixels, selected });
    },
    bound: playback.bound,
  };
}
