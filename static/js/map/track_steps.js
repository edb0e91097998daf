/* The steps of a track as lines in a view, and its markers, for what writes them: paths of the canvas, or soft-edged
 * pixels of our own: a crowd of short steps costs a third of what the canvas takes for them.
 *
 * In pixels each step fills, in every column it crosses (row, if it is steep), those its width covers; where steps
 * meet in one the fuller counts. The pixels are those of the device.
 */

import { TURN } from "./positions.js";

const CORNERS = 2000; // of a path
export const MARGIN = 8; // pixels around the view, so that no step need be cut to the pixel; no line is wider

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

let cover = new Uint8Array(0);
/** @type {any} */
let image = null;

function bgrOf(colour) {
  const rgb = Number.parseInt(colour.slice(1), 16);
  return ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16);
}

/** An empty raster of width by height pixels for lines `thick` pixels wide. Only one is in use at a time. */
export class Raster {
  constructor(width, height, thick) {
    this.width = width;
    this.height = height;
    this.half = Math.min(thick, MARGIN / 2) / 2;
    this.stride = width + 2 * MARGIN;
    const size = this.stride * (height + 2 * MARGIN);
    if (cover.length < size) cover = new Uint8Array(size);
    cover.fill(0, 0, size);
  }

  line(ax, ay, bx, by) {
    const { width, height, stride } = this;
    if (Math.abs(bx - ax) >= Math.abs(by - ay)) this.fill(ax, ay, bx, by, width, height, 1, stride);
    else this.fill(ay, ax, by, bx, height, width, stride, 1);
  }

  /** Along the first coordinate the line goes on, across the second it is wide; `on` and `over` are steps in memory. */
  fill(ax, ay, bx, by, length, breadth, on, over) {
    if (bx < ax) [ax, ay, bx, by] = [bx, by, ax, ay];
    const slope = bx > ax ? (by - ay) / (bx - ax) : 0;
    const reach = this.half * Math.sqrt(1 + slope * slope);
    let from = Math.max(0, Math.ceil(ax - 1)); // those whose middle is on the step or half a pixel off: steps that
    let to = Math.min(length, Math.floor(bx) + 1); // turn from flat to steep leave no gap between them
    if (slope !== 0 && (ay < 0 || by < 0 || ay > breadth || by > breadth)) {
      const one = ax - ay / slope;
      const other = ax + (breadth - ay) / slope;
      from = Math.max(from, Math.floor(Math.min(one, other)));
      to = Math.min(to, Math.ceil(Math.max(one, other)));
    } else if (ay < 0 || ay > breadth) return;
    let y = ay + (from + 0.5 - ax) * slope + MARGIN;
    for (let at = (from + MARGIN) * on, end = (to + MARGIN) * on; at < end; at += on, y += slope) {
      const low = y - reach;
      const high = y + reach;
      const first = low | 0;
      const last = high | 0;
      let pixel = at + first * over;
      if (first === last) {
        const value = 255 * (high - low);
        if (cover[pixel] < value) cover[pixel] = value;
        continue;
      }
      const begins = 255 * (first + 1 - low);
      if (cover[pixel] < begins) cover[pixel] = begins;
      for (let k = first + 1; k < last; k++) cover[(pixel += over)] = 255;
      const ends = 255 * (high - last);
      pixel += over;
      if (cover[pixel] < ends) cover[pixel] = ends;
    }
  }

  /** Add the lines to `pixels` in `colour` ("#rrggbb"), where they cover more of a pixel than what is there. */
  addTo(pixels, colour) {
    const { width, height, stride } = this;
    const bgr = bgrOf(colour);
    for (let row = 0, at = 0; row < height; row++) {
      for (let from = (row + MARGIN) * stride + MARGIN, end = from + width; from < end; from++, at++)
        if (cover[from] > pixels[at] >>> 24) pixels[at] = bgr | (cover[from] << 24);
    }
  }

  /** Lay the lines on the canvas, from its origin, in `colour` ("#rrggbb"), in place of what is there. */
  put(ctx, colour) {
    const { width, height, stride } = this;
    if (image?.width !== width || image.height !== height) image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const bgr = bgrOf(colour);
    for (let row = 0, at = 0; row < height; row++) {
      for (let from = (row + MARGIN) * stride + MARGIN, end = from + width; from < end; from++)
        pixels[at++] = bgr | (cover[from] << 24);
    }
    const { e, f } = ctx.getTransform();
    ctx.putImageData(image, e, f);
  }
}
