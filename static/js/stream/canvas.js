/* Canvases of plots: sharp on every screen, in the page's colours, saved as PNG. */

import { save } from "../core/dom.js";
import { cssColour, dashLengths, token } from "../core/series_style.js";

const TICK_GAP_PX = 10;

/**
 * The context of an empty canvas of so many CSS pixels.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function clearCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ctx.scale(ratio, ratio);
  ctx.font = `11px ${token("--sans")}`;
  return ctx;
}

/**
 * A line through the points, broken where a value is null; at most two points for each pixel are drawn.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {[number, number | null][]} points
 * @param {{colour: any, dash?: string, width?: number}} style
 */
export function drawLine(ctx, points, { colour, dash = "", width = 1.5 }) {
  ctx.save();
  Object.assign(ctx, { strokeStyle: cssColour(colour), lineWidth: width, lineJoin: "round" });
  ctx.setLineDash(dashLengths(dash));
  ctx.beginPath();
  let open = false;
  for (const [x, y] of points) {
    if (y === null) open = false;
    else if (open) ctx.lineTo(x, y);
    else {
      ctx.moveTo(x, y);
      open = true;
    }
  }
  ctx.stroke();
  ctx.restore();
}

/**
 * The title of a vertical axis, at its left edge.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {string} text
 * @param {number} height of the axis, px
 */
export function drawUpright(ctx, text, height) {
  ctx.save();
  Object.assign(ctx, { fillStyle: token("--muted"), textAlign: "center", textBaseline: "top" });
  ctx.translate(1, height / 2);
  ctx.rotate(-Math.PI / 2);
  ctx.fillText(text, 0, 0);
  ctx.restore();
}

/**
 * Texts of ticks, each centred on its place where that is between `left` and `right`; without those that would overlap
 * the one before.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {[number, string][]} ticks [px, text]
 * @param {{left: number, right: number, top: number}} place
 */
export function drawTickTexts(ctx, ticks, { left, right, top }) {
  Object.assign(ctx, { fillStyle: token("--muted"), textAlign: "left", textBaseline: "top" });
  let reached = -Infinity;
  for (const [x, text] of ticks) {
    const { width } = ctx.measureText(text);
    const start = Math.max(left, Math.min(right - width, x - width / 2));
    if (start < reached) continue;
    ctx.fillText(text, start, top);
    reached = start + width + TICK_GAP_PX;
  }
}

/** Text cut to `most` pixels. @param {CanvasRenderingContext2D} ctx @param {string} text @param {number} most */
export function fitted(ctx, text, most) {
  if (ctx.measureText(text).width <= most) return text;
  let length = text.length;
  while (length > 1 && ctx.measureText(`${text.slice(0, length)}…`).width > most) length -= 1;
  return `${text.slice(0, length).trimEnd()}…`;
}

/**
 * Save canvases below each other as one PNG, on the page's ground, with a title.
 *
 * @param {HTMLCanvasElement[]} canvases
 * @param {{title: string, name: string, across?: number}} options `across`: so many side by side
 */
export async function saveImage(canvases, { title, name, across = 1 }) {
  const ratio = window.devicePixelRatio || 1;
  const [head, gap] = [28 * ratio, 8 * ratio];
  const rows = Math.ceil(canvases.length / across);
  const width = Math.max(...canvases.map((one) => one.width)) + gap;
  const heights = Array.from({ length: rows }, (_, i) =>
    Math.max(...canvases.slice(i * across, (i + 1) * across).map((one) => one.height)),
  );
  const all = document.createElement("canvas");
  all.width = width * Math.min(across, canvases.length);
  all.height = head + heights.reduce((sum, one) => sum + one + gap, 0);
  const ctx = /** @type {CanvasRenderingContext2D} */ (all.getContext("2d"));
  ctx.fillStyle = token("--paper");
  ctx.fillRect(0, 0, all.width, all.height);
  ctx.fillStyle = token("--foreground");
  ctx.font = `600 ${13 * ratio}px ${token("--sans")}`;
  ctx.fillText(title, gap, 18 * ratio);
  let y = head;
  for (let row = 0; row < rows; row += 1) {
    canvases.slice(row * across, (row + 1) * across).forEach((one, i) => ctx.drawImage(one, i * width, y));
    y += heights[row] + gap;
  }
  const blob = await new Promise((resolve) => all.toBlob(resolve, "image/png"));
  save(blob, `${name}.png`);
}
