/* A track as a line over typed arrays: a million points in one frame.
 *
 * Points that fall on the pixel drawn last are left out, runs outside the picture are skipped, paths are cut into
 * chunks (a path of a million corners is slower than a thousand of a thousand). The canvas as a whole carries the
 * opacity, so a line that crosses itself is not darker there; where a noisy line would fill the picture it fades.
 */

import { dashOf, inkOf } from "../ink.js";

const CHUNK = 2000;
const DASHED_AT_MOST = 60000; // beyond, dashes cost more than they tell
const DOTS_AT_MOST = 400;

/** Paint one track: {x, y} unit positions, {colour, width, dash, marker, opacity}. Returns the canvas's opacity. */
export function drawTrack(ctx, view, { x, y }, style) {
  ctx.strokeStyle = ctx.fillStyle = inkOf(style.colour);
  const covered = (lineLength(view, x, y) * (style.width ?? 1.5)) / (view.width * view.height);
  ctx.lineWidth = (style.width ?? 1.5) * (style.fade ? 1 / (1 + Math.min(covered, 1)) : 1);
  ctx.lineJoin = ctx.lineCap = "round";
  ctx.setLineDash(x.length <= DASHED_AT_MOST ? dashOf(style.dash) : []);
  strokeLine(ctx, view, x, y);
  ctx.setLineDash([]);
  if (style.dots !== false) drawDots(ctx, view, x, y, style);
  const full = style.opacity ?? 1;
  return style.fade ? full / (1 + 3 * Math.min(covered, 1)) : full;
}

/** Length in pixels of what may be in the picture (of every k-th step: an estimate is enough). */
function lineLength({ width, height, scale, left, top }, x, y) {
  const stride = Math.max(1, Math.floor(x.length / 4000));
  const reach = Math.max(width, height);
  let sum = 0;
  for (let i = 1; i < x.length; i += stride) {
    const [ax, ay] = [x[i - 1] * scale - left, y[i - 1] * scale - top];
    const [bx, by] = [x[i] * scale - left, y[i] * scale - top];
    if (Math.max(ax, bx) < 0 || Math.max(ay, by) < 0 || Math.min(ax, bx) > width || Math.min(ay, by) > height) continue;
    sum += Math.min(reach, Math.hypot(bx - ax, by - ay));
  }
  return sum * stride;
}

function strokeLine(ctx, { width, height, scale, left, top }, x, y) {
  const margin = 8;
  const [right, bottom] = [width + margin, height + margin];
  let [px, py] = [NaN, NaN]; // last corner on the path
  let [qx, qy] = [NaN, NaN]; // last point, drawn or not
  let [corners, open] = [0, false];
  ctx.beginPath();
  for (let i = 0; i < x.length; i++) {
    const cx = x[i] * scale - left;
    const cy = y[i] * scale - top;
    if (Math.abs(cx - px) < 0.5 && Math.abs(cy - py) < 0.5) continue;
    const turn = i && Math.abs(x[i] - x[i - 1]) > 0.5 ? Math.sign(x[i - 1] - x[i]) * scale : 0;
    const away =
      (cx < -margin && qx < -margin) || (cy < -margin && qy < -margin) || (cx > right && qx > right) || (cy > bottom && qy > bottom);
    if (i && !away) {
      if (!open) ctx.moveTo(qx, qy);
      if (turn) {
        ctx.lineTo(cx + turn, cy); // out over one edge of the world
        ctx.moveTo(qx - turn, qy); // and in over the other
      }
      ctx.lineTo(cx, cy);
      [px, py, open] = [cx, cy, true];
      if (++corners >= CHUNK) {
        ctx.stroke();
        ctx.beginPath();
        ctx.moveTo(cx, cy);
        corners = 0;
      }
    } else {
      open = false;
    }
    [qx, qy] = [cx, cy];
  }
  ctx.stroke();
}

function drawDots(ctx, { width, height, scale, left, top }, x, y, { marker, width: line = 1.5 }) {
  const seen = [];
  for (let i = 0; i < x.length; i++) {
    const [cx, cy] = [x[i] * scale - left, y[i] * scale - top];
    if (cx < -5 || cy < -5 || cx > width + 5 || cy > height + 5) continue;
    if (seen.push(cx, cy) > 2 * DOTS_AT_MOST) return; // a line says more than a crowd of dots
  }
  const size = 1 + line;
  ctx.beginPath();
  for (let i = 0; i < seen.length; i += 2) shape(ctx, marker, seen[i], seen[i + 1], size);
  ctx.fill();
}

/** Add a marker by its name in the palette (circle, square, diamond, triangle-up, x, cross) to the path. */
export function shape(ctx, marker, cx, cy, r) {
  if (marker === "square") {
    ctx.rect(cx - r, cy - r, 2 * r, 2 * r);
  } else if (marker === "diamond" || marker === "triangle-up") {
    ctx.moveTo(cx, cy - r * 1.25);
    ctx.lineTo(cx + r * 1.25, marker === "diamond" ? cy : cy + r);
    if (marker === "diamond") ctx.lineTo(cx, cy + r * 1.25);
    ctx.lineTo(cx - r * 1.25, marker === "diamond" ? cy : cy + r);
    ctx.closePath();
  } else {
    ctx.moveTo(cx + r, cy);
    ctx.arc(cx, cy, r, 0, 2 * Math.PI);
  }
}

/** Index of the point nearest to a place on the screen, within `reach` pixels; -1 if there is none. */
export function nearestPoint({ scale, left, top }, { x, y }, at, reach) {
  let [best, found] = [reach * reach, -1];
  for (let i = 0; i < x.length; i++) {
    const dx = x[i] * scale - left - at.x;
    const dy = y[i] * scale - top - at.y;
    const d = dx * dx + dy * dy;
    if (d < best) [best, found] = [d, i];
  }
  return found;
}

/** Indices of the points inside a rectangle of the screen. */
export function pointsWithin({ scale, left, top }, { x, y }, box) {
  const found = [];
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [x[i] * scale - left - box.x, y[i] * scale - top - box.y];
    if (dx >= 0 && dy >= 0 && dx <= box.width && dy <= box.height) found.push(i);
  }
  return found;
}
