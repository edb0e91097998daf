/* Grids in degrees, rows from the south, columns from the west: cells as coloured boxes, lines and outlines, and a
 * path through cells.
 */

import { cssColour, token } from "../core/series_style.js";
import { circlePath, labelFont, setText } from "./drawing.js";
import { near, placer, unitX, unitY } from "./projection.js";

const LEAST_PX = 4; // cells narrower than this have no lines
const NAMED_PX = 15; // nor names, where narrower than this
const INSIDE = 0.08; // the strength of the box
const NUMBERED_PX = 13; // a cell narrower than this has no number
const [BADGE_PX, BADGE_SHARE] = [15, 0.66]; // and at most this share of the cell's height
const SMALL_PX = 9; // the font in a smaller one
const DOT_PX = 10;

/**
 * @typedef {{west: number, south: number, east: number, north: number, columns: number, rows: number}} Grid
 * @typedef {{grid: Grid, pixels: Uint8ClampedArray<ArrayBuffer>, selected: number}} Shown pixels are RGBA
 * @typedef {[number, number, number, number]} Box west, south, east and north
 * @typedef {{boxes: Box[], texts?: string[], colour: any, width?: number, dash?: number[], fill?: number,
 *   inset?: number}} Outlines fill: opacity of the area; inset: pixels between a cell's edge and its outline
 * @typedef {{points: [number, number][], texts: string[], colour: any}} Path
 */

/** The cell at a place; -1 outside the grid. @param {Grid} grid @param {{lon: number, lat: number}} place */
export function cellAt({ west, south, east, north, columns, rows }, { lon, lat }) {
  const at = near(lon, (west + east) / 2);
  if (at < west || at > east || lat < south || lat > north) return -1;
  const column = Math.min(Math.floor(((at - west) / (east - west)) * columns), columns - 1);
  const row = Math.min(Math.floor(((lat - south) / (north - south)) * rows), rows - 1);
  return row * columns + column;
}

/** Where the edges of columns and rows lie in the view, in pixels, and the box [left, top, width, height] of all. */
function edgesOf(/** @type {Grid} */ { west, south, east, north, columns, rows }, { scale, left, top }, middle) {
  const from = near(west, middle);
  const x = (column) => unitX(from + ((east - west) * column) / columns) * scale - left;
  const y = (row) => unitY(south + ((north - south) * row) / rows) * scale - top;
  /** @type {[number, number, number, number]} */
  const box = [x(0), y(rows), x(columns) - x(0), y(0) - y(rows)];
  return { x, y, box };
}

/** @type {DrawOn<Shown>} */
export function drawGrid(ctx, view, { grid, pixels, selected }, middle) {
  const { columns, rows } = grid;
  const { x, y, box } = edgesOf(grid, view, middle);
  const image = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
  image.getContext("2d")?.putImageData(new ImageData(pixels, columns, rows), 0, 0);
  ctx.imageSmoothingEnabled = false;
  // on the map rows of equal heights in degrees differ in pixels
  for (let row = 0; row < rows; row += 1)
    ctx.drawImage(image, 0, row, columns, 1, box[0], y(row + 1), box[2], y(row) - y(row + 1));
  if (selected < 0) return;
  const [column, row] = [selected % columns, Math.floor(selected / columns)];
  ctx.strokeStyle = cssColour("--foreground");
  ctx.lineWidth = 2;
  ctx.strokeRect(x(column), y(row + 1), x(column + 1) - x(column), y(row) - y(row + 1));
}

/** Stroke the lines between the cells of a grid that are wide enough to be seen. */
function strokeCells(ctx, { columns, rows }, { x, y, box: [left, top, width, height] }) {
  ctx.lineWidth = 1;
  ctx.beginPath();
  const line = (fromX, fromY, toX, toY) => {
    ctx.moveTo(fromX, fromY);
    ctx.lineTo(toX, toY);
  };
  if (width / columns >= LEAST_PX)
    for (let column = 1; column < columns; column += 1) line(x(column), top, x(column), top + height);
  if (height / rows >= LEAST_PX) for (let row = 1; row < rows; row += 1) line(left, y(row), left + width, y(row));
  ctx.stroke();
}

/** The outline and the cells of a grid. @type {DrawOn<Grid>} */
export function drawGridLines(ctx, view, grid, middle) {
  const edges = edgesOf(grid, view, middle);
  ctx.strokeStyle = ctx.fillStyle = cssColour("--accent");
  ctx.globalAlpha = 0.45;
  strokeCells(ctx, grid, edges);
  ctx.globalAlpha = INSIDE;
  ctx.fillRect(...edges.box);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 2;
  ctx.strokeRect(...edges.box);
}

/**
 * Thin lines with the names of columns, from the west, and of rows, from the south, at the edges of the grid.
 *
 * @type {DrawOn<{grid: Grid, columns: string[], rows: string[]}>}
 */
export function drawNamedGrid(ctx, view, { grid, columns, rows }, middle) {
  const edges = edgesOf(grid, view, middle);
  const { x, y, box } = edges;
  ctx.strokeStyle = token("--foreground");
  ctx.globalAlpha = 0.16;
  strokeCells(ctx, grid, edges);
  ctx.strokeRect(...box);
  ctx.globalAlpha = 1;
  ctx.save();
  setText(ctx, { colour: "--muted", textAlign: "center" });
  const above = Math.max(box[1] - 5, 13);
  if (x(1) - x(0) >= NAMED_PX) columns.forEach((name, i) => ctx.fillText(name, (x(i) + x(i + 1)) / 2, above));
  [ctx.textAlign, ctx.textBaseline] = ["right", "middle"];
  const beside = Math.max(box[0] - 5, 18);
  if (y(0) - y(1) >= NAMED_PX) rows.forEach((name, i) => ctx.fillText(name, beside, (y(i) + y(i + 1)) / 2));
  ctx.restore();
}

/** Boxes with numbers in their upper left corners. @type {DrawOn<Outlines>} */
export function drawOutlines(ctx, view, outlines, middle) {
  const { boxes, texts = [], colour, width = 2, dash = [], fill = 0, inset = 0 } = outlines;
  const place = placer(view, middle);
  const placed = boxes.map(([west, south, east, north]) => {
    const [[left, top], [right, bottom]] = [place(west, north), place(east, south)];
    return { left, top, width: right - left, height: bottom - top };
  });
  ctx.strokeStyle = ctx.fillStyle = cssColour(colour);
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  for (const { left, top, width: w, height: h } of placed) {
    ctx.globalAlpha = fill;
    if (fill) ctx.fillRect(left, top, w, h);
    ctx.globalAlpha = 1;
    ctx.strokeRect(left + inset, top + inset, Math.max(w - 2 * inset, 1), Math.max(h - 2 * inset, 1));
  }
  ctx.setLineDash([]);
  placed.forEach((box, i) => texts[i] && box.width > NUMBERED_PX && drawBadge(ctx, box, texts[i], colour));
}

function drawBadge(ctx, { left, top, width, height }, text, colour) {
  const size = Math.min(BADGE_PX, BADGE_SHARE * height);
  ctx.save();
  const font = `600 ${labelFont(size < BADGE_PX ? SMALL_PX : undefined)}`;
  Object.assign(ctx, { font, fillStyle: cssColour(colour), textAlign: "center", textBaseline: "middle" });
  const wide = Math.min(Math.max(size, ctx.measureText(text).width + 4), width);
  ctx.fillRect(left, top, wide, size);
  ctx.fillStyle = token("--on-accent");
  ctx.fillText(text, left + wide / 2, top + size / 2 + 0.5, wide);
  ctx.restore();
}

/** A line from cell to cell with a numbered disc in each. @type {DrawOn<Path>} */
export function drawPath(ctx, view, { points, texts, colour }, middle) {
  const place = placer(view, middle);
  const placed = points.map(([lon, lat]) => place(lon, lat));
  ctx.save();
  Object.assign(ctx, { lineJoin: "round", textAlign: "center", textBaseline: "middle", font: `600 ${labelFont()}` });
  for (const [width, stroke] of /** @type {[number, any][]} */ ([
    [5, "--panel"],
    [2.5, colour],
  ])) {
    ctx.beginPath();
    placed.forEach(([x, y]) => ctx.lineTo(x, y));
    [ctx.lineWidth, ctx.strokeStyle] = [width, cssColour(stroke)];
    ctx.stroke();
  }
  [ctx.lineWidth, ctx.strokeStyle] = [2, token("--panel")];
  placed.forEach(([x, y], i) => {
    circlePath(ctx, x, y, DOT_PX);
    ctx.fillStyle = cssColour(colour);
    ctx.fill();
    ctx.stroke();
    ctx.fillStyle = token("--on-accent");
    ctx.fillText(texts[i], x, y + 0.5);
  });
  ctx.restore();
}
