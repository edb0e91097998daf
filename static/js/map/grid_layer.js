/* Cells of a grid in degrees as coloured boxes: rows from the south, columns from the west. */

import { cssColour } from "../core/series_style.js";
import { near, unitX, unitY } from "./projection.js";

/**
 * @typedef {import("./grid.js").Grid} Grid
 * @typedef {{grid: Grid, pixels: Uint8ClampedArray<ArrayBuffer>, selected: number}} Shown pixels are RGBA
 */

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {Shown} shown
 * @param {number} middle
 */
export function drawGrid(ctx, view, { grid, pixels, selected }, middle) {
  const { columns, rows, south, north } = grid;
  const west = near(grid.west, middle);
  const x = (/** @type {number} */ column) =>
    unitX(west + ((grid.east - grid.west) * column) / columns) * view.scale - view.left;
  const y = (/** @type {number} */ row) => unitY(south + ((north - south) * row) / rows) * view.scale - view.top;
  const image = document.createElement("canvas");
  Object.assign(image, { width: columns, height: rows });
  const cells = /** @type {CanvasRenderingContext2D} */ (image.getContext("2d"));
  cells.putImageData(new ImageData(pixels, columns, rows), 0, 0);
  ctx.imageSmoothingEnabled = false;
  // on the map rows of equal heights in degrees differ in pixels
  for (let row = 0; row < rows; row += 1)
    ctx.drawImage(image, 0, row, columns, 1, x(0), y(row + 1), x(columns) - x(0), y(row) - y(row + 1));
  if (selected < 0) return;
  const [column, row] = [selected % columns, Math.floor(selected / columns)];
  ctx.strokeStyle = cssColour("--foreground");
  ctx.lineWidth = 2;
  ctx.strokeRect(x(column), y(row + 1), x(column + 1) - x(column), y(row) - y(row + 1));
}
