/* Tracks of many people on one canvas: a track in pieces, each piece in the colour of its person.
 *
 * Lines and points are pixels of our own (see line_raster.js), a colour at a time; a density has one colour.
 */

import { cssColour } from "../core/series_style.js";
import { Density } from "./density.js";
import { Raster } from "./line_raster.js";
import { byColour } from "./people_steps.js";
import { frameOf } from "./positions.js";
import { chosenDrawing } from "./track_drawing.js";
import { DOT_PX } from "./track_layer.js";
import { drawSteps, MARGIN, PathWriter } from "./track_steps.js";

/** @typedef {import("./positions.js").Positions} Positions */

/** @type {ImageData | null} */
let image = null;

/**
 * The pieces of `positions`, which end at `ends`, in the style {colours, colour, width, opacity, drawing, onDrawing},
 * as a layer draws them: `colours[k]` is the k-th piece's, `colour` a density's. The rest as in track_layer.js.
 */
export function peopleLayer(positions, ends, style, redraw) {
  const density = new Density(positions, redraw);
  const boxes = Array.from(ends, (end, k) => positions.boxOf(k ? ends[k - 1] : 0, end));
  const last = { drawing: "" };
  const drawingIn = (view) => chosenDrawing(style, positions, view);
  return {
    isPending: () => density.pending,
    draw(ctx, view, part) {
      ctx.canvas.style.opacity = style.opacity ?? 1;
      if (!part) last.drawing = drawingIn(view);
      if (last.drawing === "density") density.draw(ctx, view, style.colour);
      else drawPieces(ctx, view, { positions, ends, boxes }, style, last.drawing);
      style.onDrawing?.(last.drawing, density.classes);
    },
    keeps: (view) => last.drawing !== "density" && last.drawing === drawingIn(view),
  };
}

function drawPieces(ctx, view, { positions, ends, boxes }, { colours, width = 1.5 }, drawing) {
  const frame = frameOf(view, positions.middle);
  const shown = (/** @type {number} */ k) => {
    const [first, after] = [k ? ends[k - 1] : 0, ends[k]];
    return after > first && inView(boxes[k], frame, view) ? [first, after] : null;
  };
  if (ctx.isVector && drawing === "line")
    return drawPaths(ctx, view, frame, positions, { colours, width, pieces: ends.length, shown });
  const ratio = ctx.getTransform().a;
  const [across, down] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
  if (image?.width !== across || image.height !== down) image = new ImageData(across, down);
  const pixels = new Uint32Array(image.data.buffer);
  pixels.fill(0);
  const thick = (drawing === "points" ? DOT_PX : width) * ratio;
  for (const [colour, pieces] of byColour(colours, ends.length)) {
    const raster = new Raster(across, down, thick);
    for (const k of pieces) {
      const piece = shown(k);
      if (!piece) continue;
      const [first, after] = piece;
      if (drawing === "points") drawPoints(raster, view, frame, ratio, positions, first, after);
      else drawSteps(raster, view, frame, ratio, positions, { indices: null, from: [first, after - 1] }, 0);
    }
    raster.addTo(pixels, cssColour(colour));
  }
  const { e, f } = ctx.getTransform();
  ctx.putImageData(image, e, f);
}

/** The same lines as paths, for a drawing of vectors. */
function drawPaths(ctx, view, frame, positions, { colours, width, pieces, shown }) {
  ctx.lineWidth = width;
  [ctx.lineJoin, ctx.lineCap] = ["round", "round"];
  ctx.setLineDash([]);
  for (const [colour, own] of byColour(colours, pieces)) {
    ctx.strokeStyle = cssColour(colour);
    const writer = new PathWriter(ctx);
    for (const k of own) {
      const piece = shown(k);
      if (piece) drawSteps(writer, view, frame, 1, positions, { indices: null, from: [piece[0], piece[1] - 1] }, 0);
    }
    writer.put(ctx);
  }
}

function drawPoints(raster, view, frame, ratio, positions, first, after) {
  const half = (DOT_PX * ratio) / 2;
  const box = [-MARGIN, -MARGIN, view.width + MARGIN, view.height + MARGIN];
  const dot = (_, x, y) => raster.line(x * ratio - half, y * ratio, x * ratio + half, y * ratio);
  positions.eachPoint(frame, box, dot, first, after);
}

function inView([west, east, north, south], { across, down, left, top }, { width, height }) {
  return (
    west * across + left <= width + MARGIN &&
    east * across + left >= -MARGIN &&
    north * down + top <= height + MARGIN &&
    south * down + top >= -MARGIN
  );
}
