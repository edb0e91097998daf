/* The view of a time strip: events, landmarks as blocks, a second set hatched below, ticks. */

import { runsWithout } from "../core/event_runs.js";
import { token } from "../core/series_style.js";

const HEIGHT_PX = 52;
const LANDMARK_OPACITY = 0.82;

/** @typedef {ReturnType<typeof import("./timeline_scale.js").timelineScale>} Scale */

/**
 * Paint a strip of `width` pixels; `runs` are landmarks, hollow where `dummies` lie in them, `other` a second set or
 * null.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Scale} scale
 * @param {number} width
 * @param {{n: number, runs: Run[], dummies: Run[], other: Run[] | null}} shown
 */
export function paintTimeline(canvas, scale, width, { n, runs, dummies, other }) {
  const ratio = window.devicePixelRatio || 1;
  Object.assign(canvas, { width: width * ratio, height: HEIGHT_PX * ratio });
  Object.assign(canvas.style, { width: `${width}px`, height: `${HEIGHT_PX}px` });
  const ctx = canvas.getContext("2d");
  if (!ctx) return;
  ctx.scale(ratio, ratio);
  ctx.fillStyle = token("--line");
  ctx.fillRect(8, 17, width - 16, 4);
  ctx.fillStyle = token("--line-strong");
  for (let i = 0; i < n; i = scale.firstFrom(scale.place(i) + 1)) ctx.fillRect(scale.place(i) - 0.5, 17, 1, 4);
  ctx.fillStyle = token("--accent");
  ctx.globalAlpha = LANDMARK_OPACITY;
  const [top, height] = other ? [3, 13] : [9, 20];
  paintRuns(ctx, scale, runsWithout(runs, dummies), top, height);
  paintRuns(ctx, scale, dummies, top, 1.5);
  paintRuns(ctx, scale, dummies, top + height - 1.5, 1.5);
  ctx.globalAlpha = 1;
  if (other) {
    ctx.fillStyle = hatch(ctx, token("--foreground"));
    paintRuns(ctx, scale, other, 19, 11);
  }
  paintTicks(ctx, scale, width);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Scale} scale
 * @param {Run[]} runs
 * @param {number} top
 * @param {number} height
 */
function paintRuns(ctx, { place }, runs, top, height) {
  let reached = -1;
  for (const [start, end] of runs) {
    const left = Math.max(reached, place(start) - 1); // many runs share a pixel: each is painted once
    const right = Math.max(place(start) + 2, place(end - 1) + 1);
    if (right - reached < 0.5) continue;
    ctx.fillRect(left, top, right - left, height);
    reached = right;
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scale} scale @param {number} width */
function paintTicks(ctx, { ticks }, width) {
  ctx.font = `11px ${token("--sans")}`;
  ctx.fillStyle = token("--muted");
  ctx.textAlign = "center";
  for (const [x, text] of ticks()) {
    ctx.fillRect(Math.round(x), 32, 1, 4);
    const half = Math.max(26, ctx.measureText(text).width / 2);
    ctx.fillText(text, Math.max(half, Math.min(width - half, x)), 48);
  }
}

/**
 * Slanted lines, which distinguish a second set from the first without colour.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {string} colour
 */
function hatch(ctx, colour) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const lines = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
  lines.strokeStyle = colour;
  lines.lineWidth = 1.5;
  lines.beginPath();
  for (const x of [-6, 0, 6]) {
    lines.moveTo(x, 6);
    lines.lineTo(x + 6, 0);
  }
  lines.stroke();
  return /** @type {CanvasPattern} */ (ctx.createPattern(tile, "repeat"));
}
