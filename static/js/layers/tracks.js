/* A track as a line over typed arrays: a million points in one frame.
 *
 * Points half a pixel from the last one and chunks outside the picture are passed over, and so is, in a crowd, what
 * would paint only pixels that are painted. Paths are cut (one of a million corners is slower than a thousand of a
 * thousand). The canvas as a whole carries the opacity, so a line that crosses itself is not darker there; where a
 * noisy line would fill the picture it fades.
 */

import { dashOf, inkOf } from "../ink.js";
import { Cover } from "./cover.js";
import { TURN, frameOf } from "./positions.js";

const CORNERS = 2000; // of a path
const DASHED_AT_MOST = 60000; // points; beyond, dashes cost more than they tell
const CROWD = 20000; // points in the picture; below, every step is drawn
const DOTS_AT_MOST = 400;
const MARGIN = 8;
const SAMPLES = 4000;

/** Paint the line of {@link Positions} with {colour, width, dash, marker, opacity}. Returns the canvas's opacity. */
export function drawTrack(ctx, view, positions, style) {
  const width = style.width ?? 1.5;
  ctx.strokeStyle = ctx.fillStyle = inkOf(style.colour);
  const covered = (lineLength(view, positions) * width) / (view.width * view.height);
  ctx.lineWidth = width * (style.fade ? 1 / (1 + Math.min(covered, 1)) : 1);
  const many = positions.n > DASHED_AT_MOST;
  [ctx.lineJoin, ctx.lineCap] = many ? ["bevel", "butt"] : ["round", "round"];
  ctx.setLineDash(many ? [] : dashOf(style.dash));
  strokeLine(ctx, view, positions);
  ctx.setLineDash([]);
  if (style.dots !== false) drawDots(ctx, view, positions, { ...style, width });
  const full = style.opacity ?? 1;
  return style.fade ? full / (1 + 3 * Math.min(covered, 1)) : full;
}

/** Length in pixels of what may be in the picture (of every k-th step: an estimate is enough). */
function lineLength(view, positions) {
  const { across, down, left, top } = frameOf(view, positions.middle);
  const { width, height } = view;
  const stride = Math.max(1, Math.floor(positions.n / SAMPLES));
  const reach = Math.max(width, height);
  let sum = 0;
  for (let i = 1; i < positions.n; i += stride) {
    const [ax, ay] = [positions.d(i - 1) * across + left, positions.y[i - 1] * down + top];
    const [bx, by] = [positions.d(i) * across + left, positions.y[i] * down + top];
    if (Math.max(ax, bx) < 0 || Math.max(ay, by) < 0 || Math.min(ax, bx) > width || Math.min(ay, by) > height) continue;
    sum += Math.min(reach, Math.hypot(bx - ax, by - ay));
  }
  return sum * stride;
}

/** Stroke the steps in the picture. */
function strokeLine(ctx, view, positions) {
  const frame = frameOf(view, positions.middle);
  const level = positions.level(view.zoom);
  const chunks = [];
  let points = 0;
  positions.eachChunk(frame, -MARGIN, -MARGIN, view.width + MARGIN, view.height + MARGIN, (c) => {
    chunks.push(c);
    points += level.from[c + 1] - level.from[c];
  });
  const pen = new Pen(ctx, view, frame, points > CROWD ? new Cover(view.width, view.height) : null);
  ctx.beginPath();
  for (const c of chunks) pen.draw(positions, level.kept, level.from[c], level.from[c + 1]);
  ctx.stroke();
}

class Pen {
  constructor(ctx, { width, height }, frame, cover) {
    Object.assign(this, { ctx, right: width + MARGIN, bottom: height + MARGIN, frame, cover });
    this.corners = 0; // on the path
    this.at = -1; // the point where the path ends
  }

  /** The steps from the `first` kept point to the `last`. */
  draw({ lon, y, middle, starts }, kept, first, last) {
    const { ctx, right, bottom, cover } = this;
    const { across, down, left, top } = this.frame;
    const half = TURN / 2;
    let [px, py, out] = [0, 0, 15];
    for (let k = first; k <= last; k++) {
      const i = kept ? kept[k] : k;
      let d = lon[i] - middle;
      if (d > half) d -= TURN;
      else if (d < -half) d += TURN;
      const x = d * across + left;
      const v = y[i] * down + top;
      const side = (x < -MARGIN ? 1 : x > right ? 2 : 0) | (v < -MARGIN ? 4 : v > bottom ? 8 : 0);
      if (k > first && !(starts && starts[i])) {
        const turn = Math.abs(x - px) > across * half ? Math.sign(px - x) * across * TURN : 0;
        if (turn && !(side & out & 12)) this.over(x, v, px, py, turn);
        else if (!(side & out) && (!cover || cover.takes(px, py, x, v))) {
          if (this.at !== (kept ? kept[k - 1] : k - 1)) ctx.moveTo(px, py);
          ctx.lineTo(x, v);
          this.at = i;
          if (++this.corners >= CORNERS) this.cut(x, v);
        }
      }
      [px, py, out] = [x, v, side];
    }
  }

  /** A step out over one edge of the world and in over the other. */
  over(x, y, px, py, turn) {
    const { ctx } = this;
    ctx.moveTo(px, py);
    ctx.lineTo(x + turn, y);
    ctx.moveTo(px - turn, py);
    ctx.lineTo(x, y);
    this.at = -1;
  }

  cut(x, y) {
    this.ctx.stroke();
    this.ctx.beginPath();
    this.ctx.moveTo(x, y);
    this.corners = 0;
  }
}

function drawDots(ctx, view, positions, { marker, width }) {
  const seen = [];
  const box = [-5, -5, view.width + 5, view.height + 5];
  positions.eachPoint(frameOf(view, positions.middle), box, (_, x, y) => seen.push(x, y) <= 2 * DOTS_AT_MOST);
  if (seen.length > 2 * DOTS_AT_MOST) return; // a line says more than a crowd of dots
  ctx.beginPath();
  for (let i = 0; i < seen.length; i += 2) shape(ctx, marker, seen[i], seen[i + 1], 1 + width);
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
