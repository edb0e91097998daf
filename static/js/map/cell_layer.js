/* Cells of a grid as outlines with numbers, and a numbered path through cells. */

import { cssColour, token } from "../core/series_style.js";
import { labelFont } from "./graticule.js";
import { near, unitX, unitY } from "./projection.js";

const NUMBERED_PX = 13; // a cell narrower than this has no number
const [BADGE_PX, BADGE_SHARE] = [15, 0.66]; // and at most this share of the cell's height
const SMALL_PX = 9; // the font in a smaller one
const DOT_PX = 10;

/**
 * @typedef {[number, number, number, number]} Box west, south, east and north
 * @typedef {{boxes: Box[], texts?: string[], colour: any, width?: number, dash?: number[], fill?: number,
 *   inset?: number}} Outlines fill: opacity of the area; inset: pixels between a cell's edge and its outline
 * @typedef {{points: [number, number][], texts: string[], colour: any}} Path
 */

/** Where a box lies in the view, in pixels. @param {View} view @param {number} middle */
const placed =
  (view, middle) =>
  (/** @type {Box} */ [west, south, east, north]) => {
    const x = (/** @type {number} */ lon) => unitX(near(lon, middle)) * view.scale - view.left;
    const y = (/** @type {number} */ lat) => unitY(lat) * view.scale - view.top;
    const [left, top] = [x(west), y(north)];
    return { left, top, width: x(east) - left, height: y(south) - top };
  };

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {Outlines} what
 * @param {number} middle
 */
export function drawOutlines(
  ctx,
  view,
  { boxes, texts = [], colour, width = 2, dash = [], fill = 0, inset = 0 },
  middle,
) {
  const place = placed(view, middle);
  ctx.strokeStyle = ctx.fillStyle = cssColour(colour);
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  const found = boxes.map(place);
  for (const { left, top, width: w, height: h } of found) {
    ctx.globalAlpha = fill;
    if (fill) ctx.fillRect(left, top, w, h);
    ctx.globalAlpha = 1;
    ctx.strokeRect(left + inset, top + inset, Math.max(w - 2 * inset, 1), Math.max(h - 2 * inset, 1));
  }
  ctx.setLineDash([]);
  found.forEach((box, i) => texts[i] && box.width > NUMBERED_PX && drawBadge(ctx, box, texts[i], colour));
}

/** A number in the upper left corner of a box. */
function drawBadge(ctx, { left, top, width, height }, text, colour) {
  const size = Math.min(BADGE_PX, BADGE_SHARE * height);
  ctx.font = `600 ${labelFont(size < BADGE_PX ? SMALL_PX : undefined)}`;
  const wide = Math.min(Math.max(size, ctx.measureText(text).width + 4), width);
  ctx.fillStyle = cssColour(colour);
  ctx.fillRect(left, top, wide, size);
  ctx.fillStyle = token("--on-accent");
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(text, left + wide / 2, top + size / 2 + 0.5, wide);
  [ctx.textAlign, ctx.textBaseline] = ["start", "alphabetic"];
  ctx.fillStyle = cssColour(colour);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {Path} path
 * @param {number} middle
 */
export function drawPath(ctx, view, { points, texts, colour }, middle) {
  const found = points.map(([lon, lat]) => ({
    x: unitX(near(lon, middle)) * view.scale - view.left,
    y: unitY(lat) * view.scale - view.top,
  }));
  ctx.lineJoin = "round";
  const trace = (/** @type {number} */ width, /** @type {string} */ stroke) => {
    ctx.beginPath();
    found.forEach(({ x, y }) => ctx.lineTo(x, y));
    [ctx.lineWidth, ctx.strokeStyle] = [width, stroke];
    ctx.stroke();
  };
  trace(5, token("--panel"));
  trace(2.5, cssColour(colour));
  ctx.font = `600 ${labelFont()}`;
  [ctx.textAlign, ctx.textBaseline] = ["center", "middle"];
  found.forEach(({ x, y }, i) => {
    ctx.beginPath();
    ctx.arc(x, y, DOT_PX, 0, 2 * Math.PI);
    ctx.fillStyle = cssColour(colour);
    ctx.strokeStyle = token("--panel");
    ctx.lineWidth = 2;
    ctx.fill();
    ctx.stroke();
    ctx.fillStyle = token("--on-accent");
    ctx.fillText(texts[i], x, y + 0.5);
  });
  [ctx.textAlign, ctx.textBaseline] = ["start", "alphabetic"];
}
