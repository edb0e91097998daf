/* The map of a comparison of check-ins: grid, densities, boxes, recommended cells, the history. */

import { createMap } from "../map/map.js";
import { axisNames, boxOf, densityPixels, middleOf, neighbour } from "./grid_cells.js";
import { token } from "../core/series_style.js";
import { cellAt } from "../map/grid.js";

/** The layers of the map, from the lowest: names in the page's list of layers. */
const LAYERS = ["density", "grid", "boxes", "recommended", "reference", "history"];
const [WIDE_PX, LEGEND_PX] = [760, 210]; // where the map is so wide, the legend lies beside the grid
const DEGREES_PX = 38; // elsewhere degrees of latitude are beside the names of rows
const NAMES_PX = 10; // above the grid
const [PADDING_PX, NARROW_PX] = [28, 24]; // around the grid
const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

/**
 * A map in `host`. `use(grid)` replaces the grid and everything on it; `draw(layers)` draws what it is given of
 * {densities, boxes, recommended, reference, history}; `select(cell)` marks a cell, -1 none.
 *
 * @param {HTMLElement} host
 * @param {{add: (cell: number) => void, removeLast: () => void, select: (cell: number) => void,
 *   hover: (cell: number) => void}} on
 */
export function createRecommendMap(host, on) {
  let map;
  /** @type {Grid} */
  let grid;
  /** @type {Record<string, boolean>} */
  const visible = Object.fromEntries(LAYERS.map((name) => [name, true]));
  let chosen = -1;

  const apply = () => LAYERS.forEach((name) => map.setVisible(name, visible[name]));
  const outline = (/** @type {string} */ id, /** @type {number[]} */ cells, style) =>
    map.addOutlines({ id, boxes: cells.map((cell) => boxOf(grid, cell)), ...style });

  function create() {
    const { west, south, east, north } = grid;
    const left = () => (host.clientWidth >= WIDE_PX ? LEGEND_PX : DEGREES_PX);
    const options = { label: "Map of the cells", top: NAMES_PX, left, keyboard: false };
    map = createMap(host, { bounds: [west, south, east, north], ...options });
    host.setAttribute("aria-describedby", "map-help");
    map.onClick((place) => {
      const cell = cellAt(grid, place);
      if (cell >= 0) on.add(cell);
    });
    map.onHover((place) => on.hover(place ? cellAt(grid, place) : -1));
    host.addEventListener("keydown", (event) => {
      if (event.target !== host || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (ARROWS.includes(event.key)) on.select(chosen < 0 ? start() : neighbour(grid, chosen, event.key));
      else if ((event.key === "Enter" || event.key === " ") && chosen >= 0) on.add(chosen);
      else if (event.key === "Backspace") on.removeLast();
      else return;
      event.preventDefault();
    });
  }

  /** Where arrow keys begin: the middle of the grid. */
  const start = () => Math.floor(grid.rows / 2) * grid.columns + Math.floor(grid.columns / 2);

  return {
    /** @param {Grid} to */
    use(to) {
      const edges = [to.west, to.south, to.east, to.north];
      const same = map && String(edges) === String([grid.west, grid.south, grid.east, grid.north]);
      grid = to;
      if (!map) create();
      if (!same) map.fit(edges, host.clientWidth >= WIDE_PX ? PADDING_PX : NARROW_PX);
      map.addNamedGrid({ id: "grid", grid, ...axisNames(grid) });
      chosen = -1;
    },
    /** @param {{densities: number[] | null, boxes: import("../map/grid.js").Box[], recommended: number[],
     *   reference: number[], history: number[]}} what */
    draw({ densities, boxes, recommended, reference, history }) {
      map.remove("density");
      if (densities) {
        const pixels = densityPixels(densities, token("--foreground"));
        map.addGrid({ id: "density", grid, pixels, selected: -1 });
      }
      map.addOutlines({ id: "boxes", order: 2, boxes, colour: "--m3", width: 1.5 });
      const texts = recommended.map((_, i) => String(i + 1));
      outline("reference", reference, { order: 3, colour: "--foreground", width: 1.25, dash: [3, 2], inset: 4 });
      outline("recommended", recommended, { order: 4, colour: "--m2", fill: 0.18, texts });
      const numbers = history.map((_, i) => String(i + 1));
      map.addPath({
        id: "history",
        points: history.map((cell) => middleOf(grid, cell)),
        texts: numbers,
        colour: "--accent",
      });
      apply();
      this.select(chosen);
      host.dataset.recommended = String(recommended.length);
    },
    /** @param {number} cell */
    select(cell) {
      chosen = cell;
      outline("chosen", cell < 0 ? [] : [cell], { order: 8, colour: "--accent", width: 3 });
    },
    /** @param {string} name @param {boolean} shown */
    show(name, shown) {
      visible[name] = shown;
      map?.setVisible(name, shown);
    },
    chosen: () => chosen,
  };
}
