/* Points as a density surface: hexagons of a fixed size on the screen, darker the more points lie in them.
 *
 * The cells are fixed to the world, so they stay in place while the map is moved. Counting goes over the view and half
 * a view around it, in slices between which the page can paint.
 */

import { cssColour } from "../core/series_style.js";
import { yieldToPage } from "../core/once.js";
import { frameOf } from "./positions.js";

/** @typedef {import("./positions.js").Positions} Positions */
/** @typedef {{zoom: number, left: number, top: number, right: number, bottom: number, column: number, row: number,
 *   columns: number, rows: number, counts: Uint32Array}} Cells pixels of the world at this zoom, cells of the grid */

export const RADIUS = 9; // of a hexagon, in pixels
const ACROSS = RADIUS * Math.sqrt(3);
const DOWN = RADIUS * 1.5;
const GAP = 0.5;
const STRENGTH = [0.2, 0.38, 0.6, 0.85]; // of the classes
const USUAL = 0.95; // the highest class begins at this quantile of the cells
const SLICE = 32768; // points
const AT_ONCE_MS = 8;

/**
 * Column and row of the hexagon a place in pixels is in; centres are at (column + (row odd) / 2) · ACROSS, row · DOWN.
 *
 * @returns {[number, number]}
 */
export function hexagonOf(x, y) {
  const above = Math.floor(y / DOWN);
  /** @type {[number, number]} */
  let best = [0, 0];
  let least = Infinity;
  for (let row = above; row <= above + 1; row++) {
    const column = Math.round(x / ACROSS - (row & 1) / 2);
    const off = (x - (column + (row & 1) / 2) * ACROSS) ** 2 + (y - row * DOWN) ** 2;
    if (off < least) [least, best] = [off, [column, row]];
  }
  return best;
}

/** The least count of each class: 1, then evenly in the logarithm up to the 95 % quantile of the cells with points. */
export function classesOf(/** @type {Uint32Array | number[]} */ counts) {
  const taken = counts.filter((count) => count > 0).sort((a, b) => a - b);
  const top = Math.max(4, taken[Math.floor(taken.length * USUAL)] ?? 0);
  const from = [1];
  for (let k = 1; k < STRENGTH.length; k++)
    from.push(Math.max(from[k - 1] + 1, Math.round(top ** (k / (STRENGTH.length - 1)))));
  return from;
}

/** The classes as text: "1 · 2–3 · 4–8 · 9+". @param {number[]} from */
export function classText(from) {
  const rangeOf = (low, k) => {
    if (k === from.length - 1) return `${low}+`;
    return from[k + 1] - 1 === low ? String(low) : `${low}–${from[k + 1] - 1}`;
  };
  return from.map(rangeOf).join(" · ");
}

/** The density of {@link Positions}; `changed()` where it can be drawn again, as more was counted. */
export class Density {
  /** @param {Positions} positions @param {() => void} changed */
  constructor(positions, changed) {
    this.positions = positions;
    this.changed = changed;
    /** @type {Cells | null} */
    this.cells = null;
    /** @type {number[]} */
    this.classes = [];
    this.turn = 0; // the last count that was begun is the one that matters
    /** @type {Cells | null} */
    this.coming = null;
  }

  draw(ctx, /** @type {View} */ view, colour) {
    if (!holds(this.cells, view) && !holds(this.coming, view)) this.#count(view);
    if (this.cells?.zoom === view.zoom) drawCells(ctx, view, this.cells, this.classes, colour);
  }

  /** Whether more is being counted. */
  get pending() {
    return this.coming !== null;
  }

  /** Count around `view`: at once what takes a few milliseconds, the rest in slices. @param {View} view */
  #count(view) {
    const turn = (this.turn += 1);
    const cells = (this.coming = emptyCells(view));
    const slices = countIn(cells, view, this.positions);
    const go = () => {
      const began = performance.now();
      while (performance.now() - began < AT_ONCE_MS) if (slices.next().done) return true;
      return false;
    };
    const finish = () => {
      if (this.cells?.zoom !== cells.zoom) this.classes = classesOf(cells.counts);
      [this.cells, this.coming] = [cells, null];
    };
    if (go()) return finish();
    const rest = async () => {
      do {
        await yieldToPage();
        if (turn !== this.turn) return;
      } while (!go());
      finish();
      this.changed();
    };
    rest();
  }
}

/** @param {Cells | null} cells @param {View} view */
function holds(cells, { zoom, left, top, width, height }) {
  if (cells?.zoom !== zoom) return false;
  return left >= cells.left && top >= cells.top && left + width <= cells.right && top + height <= cells.bottom;
}

/** @param {View} view @returns {Cells} */
function emptyCells({ zoom, left, top, width, height }) {
  const box = { left: left - width / 2, top: top - height / 2, right: left + 1.5 * width, bottom: top + 1.5 * height };
  const [column, row] = [Math.floor(box.left / ACROSS) - 1, Math.floor(box.top / DOWN) - 1];
  const columns = Math.ceil(box.right / ACROSS) + 2 - column;
  const rows = Math.ceil(box.bottom / DOWN) + 2 - row;
  return { zoom, ...box, column, row, columns, rows, counts: new Uint32Array(columns * rows) };
}

/** Count the points in `cells`, and stop after each slice. */
function* countIn(cells, view, positions) {
  const { left, top, right, bottom, column, row, columns, counts } = cells;
  const frame = frameOf(view, positions.middle);
  /** @type {[number, number, number, number]} */
  const box = [left - view.left, top - view.top, right - view.left, bottom - view.top];
  for (let from = 0; from < positions.n; from += SLICE) {
    const put = (_, x, y) => {
      const [c, r] = hexagonOf(x + view.left, y + view.top);
      counts[(r - row) * columns + c - column] += 1;
    };
    positions.eachPoint(frame, box, put, from, Math.min(positions.n, from + SLICE));
    yield;
  }
}

function drawCells(ctx, view, { column, row, columns, rows, counts }, classes, colour) {
  /** @type {[number, number][][]} */
  const places = classes.map(() => []);
  const first = Math.max(0, Math.floor((view.top - RADIUS) / DOWN) - row);
  const last = Math.min(rows - 1, Math.ceil((view.top + view.height + RADIUS) / DOWN) - row);
  for (let r = first; r <= last; r++) {
    for (let c = 0; c < columns; c++) {
      const count = counts[r * columns + c];
      if (!count) continue;
      const x = (c + column + ((r + row) & 1) / 2) * ACROSS - view.left;
      if (x < -ACROSS || x > view.width + ACROSS) continue;
      const k = classes.findLastIndex((from) => count >= from);
      places[k].push([x, (r + row) * DOWN - view.top]);
    }
  }
  ctx.fillStyle = cssColour(colour);
  places.forEach((some, k) => {
    ctx.globalAlpha = STRENGTH[k];
    ctx.beginPath();
    for (const [x, y] of some) hexagon(ctx, x, y, RADIUS - GAP);
    ctx.fill();
  });
  ctx.globalAlpha = 1;
}

const WIDE = Math.sqrt(3) / 2; // the half of a hexagon of radius 1
const CORNERS = [
  [0, -1],
  [WIDE, -0.5],
  [WIDE, 0.5],
  [0, 1],
  [-WIDE, 0.5],
  [-WIDE, -0.5],
];

function hexagon(path, x, y, r) {
  CORNERS.forEach(([dx, dy], i) => path[i ? "lineTo" : "moveTo"](x + dx * r, y + dy * r));
  path.closePath();
}
