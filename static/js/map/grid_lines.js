/* The outline of a grid in degrees, and the lines between its cells where these are wide enough to be seen. */

import { cssColour, token } from "../core/series_style.js";
import { labelFont } from "./graticule.js";
import { near, unitX, unitY } from "./projection.js";

const LEAST_PX = 4; // cells narrower than this have no lines
const NAMED_PX = 15; // nor names, where narrower than this
const INSIDE = 0.08; // the strength of the box

/** @typedef {import("./grid_layer.js").Grid} Grid */

/**
 * Trace the lines between the cells of a grid; returns where columns and rows lie in the view, in pixels.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {Grid} grid
 * @param {number} middle
 */
function traceCells(ctx, view, { west, south, east, north, columns, rows }, middle) {
  const from = near(west, middle);
  const x = (/** @type {number} */ column) => unitX(from + ((east - west) * column) / columns) * view.scale - view.left;
  const y = (/** @type {number} */ row) => unitY(south + ((north - south) * row) / rows) * view.scale - view.top;
  const [left, right, top, bottom] = [x(0), x(columns), y(rows), y(0)];
  ctx.beginPath();
  if ((right - left) / columns >= LEAST_PX)
    for (let column = 1; column < columns; column += 1) line(ctx, x(column), top, x(column), bottom);
  if ((bottom - top) / rows >= LEAST_PX) for (let row = 1; row < rows; row += 1) line(ctx, left, y(row), right, y(row));
  return { x, y, box: /** @type {[number, number, number, number]} */ ([left, top, right - left, bottom - top]) };
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {Grid} grid
 * @param {number} middle
 */
export function drawGridLines(ctx, view, grid, middle) {
  ctx.strokeStyle = ctx.fillStyle = cssColour("--accent");
  ctx.globalAlpha = 0.45;
  ctx.lineWidth = 1;
  const { box } = traceCells(ctx, view, grid, middle);
  ctx.stroke();
  ctx.globalAlpha = INSIDE;
  ctx.fillRect(...box);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 2;
  ctx.strokeRect(...box);
}

/**
 * Thin lines with the names of columns, from the west, and of rows, from the south, at the edges of the grid.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {{grid: Grid, columns: string[], rows: string[]}} what
 * @param {number} middle
 */
export function drawNamedGrid(ctx, view, { grid, columns, rows }, middle) {
  ctx.strokeStyle = token("--foreground");
  ctx.globalAlpha = 0.16;
  ctx.lineWidth = 1;
  const { x, y, box } = traceCells(ctx, view, grid, middle);
  ctx.stroke();
  ctx.strokeRect(...box);
  ctx.globalAlpha = 1;
  ctx.font = labelFont();
  ctx.fillStyle = token("--muted");
  ctx.textAlign = "center";
  const above = Math.max(box[1] - 5, 13);
  if (x(1) - x(0) >= NAMED_PX) columns.forEach((name, i) => ctx.fillText(name, (x(i) + x(i + 1)) / 2, above));
  [ctx.textAlign, ctx.textBaseline] = ["right", "middle"];
  const beside = Math.max(box[0] - 5, 18);
  if (y(0) - y(1) >= NAMED_PX) rows.forEach((name, i) => ctx.fillText(name, beside, (y(i) + y(i + 1)) / 2));
  [ctx.textAlign, ctx.textBaseline] = ["start", "alphabetic"];
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} y
 * @param {number} toX
 * @param {number} toY
 */
function line(ctx, x, y, toX, toY) {
  ctx.moveTo(x, y);
  ctx.lineTo(toX, toY);
}
