/* The steps of a track as lines in a view, and its markers, for whatever writes them. */

import { TURN } from "./positions.js";

const CORNERS = 2000; // of a path
export const MARGIN = 8; // pixels around the view

/** Give the steps of a chunk to `writer`, those that are not wholly beyond one side of the view. */
export function drawSteps(writer, view, { across, down, left, top }, ratio, positions, { indices, from }, c) {
  const { y, starts } = positions;
  const half = TURN / 2;
  const [right, bottom] = [view.width + MARGIN, view.height + MARGIN];
  let [px, py, out] = [NaN, NaN, NaN];
  for (let k = from[c]; k <= from[c + 1]; k++) {
    const i = indices ? indices[k] : k;
    const x = positions.d(i) * across + left;
    const v = y[i] * down + top;
    const side = (x < -MARGIN ? 1 : x > right ? 2 : 0) | (v < -MARGIN ? 4 : v > bottom ? 8 : 0);
    if (k > from[c] && !(starts && starts[i])) {
      if (Math.abs(x - px) > across * half) {
        const turn = Math.sign(px - x) * across * TURN;
        writer.line(px * ratio, py * ratio, (x + turn) * ratio, v * ratio); // out over one edge of the world
        writer.line((px - turn) * ratio, py * ratio, x * ratio, v * ratio); // and in over the other
      } else if (!(side & out)) writer.line(px * ratio, py * ratio, x * ratio, v * ratio);
    }
    px = x;
    py = v;
    out = side;
  }
}

/** Lines as paths of the canvas, going on where the last one ended. */
export class PathWriter {
  constructor(ctx) {
    this.ctx = ctx;
    this.x = NaN;
    this.y = NaN;
    this.corners = 0;
    ctx.beginPath();
  }

  line(ax, ay, bx, by) {
    const { ctx } = this;
    if (ax !== this.x || ay !== this.y) ctx.moveTo(ax, ay);
    ctx.lineTo(bx, by);
    this.x = bx;
    this.y = by;
    if (++this.corners < CORNERS) return;
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(bx, by);
    this.corners = 0;
  }

  put(ctx) {
    ctx.stroke();
  }
}

const ARM = 0.36; // half as wide as a cross's arms, which reach 1 far
const QUARTER = [
  [-ARM, -1],
  [ARM, -1],
  [ARM, -ARM],
];
const CROSS = [0, 1, 2, 3].flatMap((turn) =>
  QUARTER.map((at) =>
    Array(turn)
      .fill(0)
      .reduce(([x, y]) => [-y, x], at),
  ),
);

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
  } else if (marker === "x" || marker === "cross") {
    const turned = marker === "x" ? Math.SQRT1_2 : 0;
    const corner = ([x, y]) => (turned ? [(x - y) * turned, (x + y) * turned] : [x, y]);
    CROSS.map(corner).forEach(([x, y], i) => ctx[i ? "lineTo" : "moveTo"](cx + 1.3 * r * x, cy + 1.3 * r * y));
    ctx.closePath();
  } else {
    ctx.moveTo(cx + r, cy);
    ctx.arc(cx, cy, r, 0, 2 * Math.PI);
  }
}
