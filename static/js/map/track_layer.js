/* A track as a line, points or a density surface over typed arrays: a million points in one frame.
 *
 * Points half a pixel from the last one and chunks out of view are passed over; a crowd of steps is put on the
 * canvas as pixels. Paths are cut (one of a million corners is slower than a thousand of a thousand). The canvas as a
 * whole carries the opacity, so a line that crosses itself is not darker there; where a noisy line would fill the
 * view it fades.
 */

import { dashLengths, cssColour } from "../core/series_style.js";
import { Density } from "./density.js";
import { drawSteps, MARGIN, PathWriter, Raster, shape } from "./track_steps.js";
import { frameOf } from "./positions.js";
import { chosenDrawing } from "./track_drawing.js";

const DASHED_AT_MOST = 60000; // points; beyond, dashes cost more than they show
const CROWD = 20000; // points in view; from here on they are put there as pixels
const VECTORS = 200_000; // points; from here on they are pixels in a drawing of vectors too
const DOTS_AT_MOST = 400;
export const DOT_PX = 3.2; // of more points than these
const SAMPLES = 4000;
const ALIKE = 0.04; // widths that differ by less look the same beside each other

/**
 * The line of {@link Positions} in the style {colour, width, dash, marker, opacity, fade, dots, drawing, onDrawing}, as
 * a layer draws it. `drawing`: a line where left out, "auto" as in track_drawing.js; `onDrawing(drawing, classes)`
 * receives what was drawn, with the least counts of a density's classes. `redraw()` where more can be drawn.
 */
export function trackLayer(positions, style, redraw = () => {}) {
  const last = { covered: 0, dots: false }; // of the last whole view
  const thinner = (share) => 1 / (1 + Math.min(share, 1));
  function drawTracks(ctx, view, part, drawing) {
    if (drawing === "line") {
      if (!part) last.covered = covered(view, positions, style);
      const fading = style.fade ? Math.min(last.covered, 1) : 0;
      ctx.canvas.style.opacity = (style.opacity ?? 1) / (1 + 3 * fading);
      drawLine(ctx, view, positions, { ...style, width: (style.width ?? 1.5) / (1 + fading) }, true);
    }
    if (!part) last.dots = style.dots !== false && drawDots(ctx, view, positions, style);
    if (drawing === "points" && !last.dots) drawPoints(ctx, view, positions, style.colour);
  }
  return drawnLayer(positions, style, redraw, drawTracks, (view, drawing) => {
    if (positions.n <= DASHED_AT_MOST || last.dots || (style.dots !== false && dotsIn(view, positions))) return false;
    if (drawing === "points" || !style.fade) return true;
    return Math.abs(thinner(covered(view, positions, style)) - thinner(last.covered)) < ALIKE;
  });
}

/**
 * A layer of positions in a `style` as above: a density, or what `paint(ctx, view, part, drawing)` draws; it stays
 * where the map is only moved if `keeps(view, drawing)`, or without one.
 */
export function drawnLayer(positions, style, redraw, paint, /** @type {any} */ keeps = null) {
  const density = new Density(positions, redraw);
  const drawingIn = (view) => chosenDrawing(style, positions, view);
  let drawing = ""; // of the last whole view
  return {
    isPending: () => density.pending,
    draw(ctx, view, part) {
      ctx.canvas.style.opacity = style.opacity ?? 1;
      if (!part) drawing = drawingIn(view);
      if (drawing === "density") density.draw(ctx, view, style.colour);
      else paint(ctx, view, part, drawing);
      style.onDrawing?.(drawing, density.classes);
    },
    keeps: (view) => drawing !== "density" && drawing === drawingIn(view) && (keeps?.(view, drawing) ?? true),
  };
}

/** Draw a dot on every point in view, pixels of our own where they are many. */
function drawPoints(ctx, view, positions, colour) {
  const crowd = positions.n > (ctx.isVector ? VECTORS : DASHED_AT_MOST);
  const ratio = crowd ? ctx.getTransform().a : 1;
  ctx.strokeStyle = cssColour(colour);
  ctx.lineWidth = DOT_PX;
  ctx.lineCap = "round";
  ctx.setLineDash([]);
  const writer = writerOf(ctx, view, crowd && ratio);
  const half = crowd ? (DOT_PX * ratio) / 2 : 0.01; // a round cap at both ends of nothing is not drawn
  putPoints(writer, view, positions, ratio, half);
  writer.put(ctx, ctx.strokeStyle); // the context gives any opaque colour back as #rrggbb
}

/** What lines are written to: pixels, `ratio` of them to one of the page, or paths without one. */
const writerOf = (ctx, { width, height }, ratio) =>
  ratio
    ? new Raster(Math.round(width * ratio), Math.round(height * ratio), ctx.lineWidth * ratio)
    : new PathWriter(ctx);

/** Give a line of twice `half` to `writer` for each point of [first, after) in view. */
export function putPoints(writer, view, positions, ratio, half, first = 0, after = positions.n) {
  const box = [-MARGIN, -MARGIN, view.width + MARGIN, view.height + MARGIN];
  const put = (_, x, y) => writer.line(x * ratio - half, y * ratio, x * ratio + half, y * ratio);
  positions.eachPoint(frameOf(view, positions.middle), box, put, first, after);
}

/** What share of the view the line would cover if it never crossed itself. */
function covered(view, positions, { width = 1.5 }) {
  return (lineLength(view, positions) * width) / (view.width * view.height);
}

/** Draw a line among other things: its pixels would take the place of theirs, so it is paths alone. */
export function drawTrack(ctx, view, positions, style) {
  drawLine(ctx, view, positions, style, false);
}

function drawLine(ctx, view, positions, { colour, width, dash }, alone) {
  const many = positions.n > DASHED_AT_MOST;
  ctx.strokeStyle = ctx.fillStyle = cssColour(colour);
  ctx.lineWidth = width;
  [ctx.lineJoin, ctx.lineCap] = many ? ["bevel", "butt"] : ["round", "round"];
  ctx.setLineDash(many ? [] : dashLengths(dash));
  strokeLine(ctx, view, positions, alone);
  ctx.setLineDash([]);
}

/** Length in pixels of what may be in view (of every k-th step: an estimate is enough). */
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

/** Draw the steps in view. */
function strokeLine(ctx, view, positions, alone) {
  const frame = frameOf(view, positions.middle);
  const level = positions.level(Math.log2(view.scale / 256));
  const chunks = [];
  let points = 0;
  positions.eachChunk(frame, -MARGIN, -MARGIN, view.width + MARGIN, view.height + MARGIN, (c) => {
    chunks.push(c);
    points += level.from[c + 1] - level.from[c];
  });
  const crowd = alone && positions.n > DASHED_AT_MOST && points > (ctx.isVector ? VECTORS : CROWD);
  const ratio = crowd ? ctx.getTransform().a : 1;
  const writer = writerOf(ctx, view, crowd && ratio);
  for (const c of chunks) drawSteps(writer, view, frame, ratio, positions, level, c);
  writer.put(ctx, ctx.strokeStyle);
}

/** Places [x, y, x, y, …] of the points in view; null if they are a crowd. */
function dotsIn(view, positions) {
  const seen = [];
  const box = [-5, -5, view.width + 5, view.height + 5];
  positions.eachPoint(frameOf(view, positions.middle), box, (_, x, y) => seen.push(x, y) <= 2 * DOTS_AT_MOST);
  return seen.length > 2 * DOTS_AT_MOST ? null : seen; // a line shows more than a crowd of dots
}

/** Draw a marker on each point if they are few; returns whether they are. */
function drawDots(ctx, view, positions, { colour, marker, width = 1.5 }) {
  const seen = dotsIn(view, positions);
  if (!seen) return false;
  ctx.fillStyle = cssColour(colour);
  ctx.beginPath();
  for (let i = 0; i < seen.length; i += 2) shape(ctx, marker, seen[i], seen[i + 1], 1 + width);
  ctx.fill();
  ctx.strokeStyle = cssColour(colour);
  ctx.lineWidth = 1;
  ctx.setLineDash([]);
  ctx.stroke();
  return true;
}
