/* Tracks of many people on one canvas: a track in pieces, each piece in the colour of its person.
 *
 * Lines and points are pixels of our own (see line_raster.js), a colour at a time; a density has one colour.
 */

import { cssColour } from "../core/series_style.js";
import { drawSteps, MARGIN, PathWriter, Raster } from "./track_steps.js";
import { frameOf } from "./positions.js";
import { DOT_PX, drawnLayer, putPoints } from "./track_layer.js";

/** @type {ImageData | null} */
let image = null;

/** [[colour, pieces]]: the pieces 0 … n - 1 in as many groups as there are colours. */
export const byColour = (colours, n) => [...Map.groupBy(Array(n).keys(), (k) => colours[k])];

/**
 * The pieces of `positions`, which end at `ends`, in the style {colours, colour, width, opacity, drawing, onDrawing},
 * as a layer draws them: `colours[k]` is the k-th piece's, `colour` a density's. The rest as in track_layer.js.
 */
export function peopleLayer(positions, ends, style, redraw) {
  const boxes = Array.from(ends, (end, k) => positions.boxOf(k ? ends[k - 1] : 0, end));
  const pieces = { positions, ends, boxes };
  const paint = (ctx, view, _, drawing) => drawPieces(ctx, view, pieces, style, drawing);
  return drawnLayer(positions, style, redraw, paint);
}

function drawPieces(ctx, view, { positions, ends, boxes }, { colours, width = 1.5 }, drawing) {
  const frame = frameOf(view, positions.middle);
  const asPaths = ctx.isVector && drawing === "line";
  const { a, e, f } = ctx.getTransform();
  const ratio = asPaths ? 1 : a;
  const size = /** @type {const} */ ([Math.round(view.width * ratio), Math.round(view.height * ratio)]);
  if (!asPaths && (image?.width !== size[0] || image.height !== size[1])) image = new ImageData(...size);
  const pixels = asPaths ? null : new Uint32Array(/** @type {ImageData} */ (image).data.buffer).fill(0);
  const thick = (drawing === "points" ? DOT_PX : width) * ratio;
  Object.assign(ctx, { lineWidth: width, lineJoin: "round", lineCap: "round" });
  ctx.setLineDash([]);
  for (const [colour, pieces] of byColour(colours, ends.length)) {
    ctx.strokeStyle = cssColour(colour);
    const writer = asPaths ? new PathWriter(ctx) : new Raster(...size, thick);
    for (const k of pieces) {
      const [first, after] = [k ? ends[k - 1] : 0, ends[k]];
      if (after <= first || !inView(boxes[k], frame, view)) continue;
      if (drawing === "points") putPoints(writer, view, positions, ratio, thick / 2, first, after);
      else drawSteps(writer, view, frame, ratio, positions, { indices: null, from: [first, after - 1] }, 0);
    }
    if (writer instanceof Raster) writer.addTo(pixels, cssColour(colour));
    else writer.put(ctx);
  }
  if (!asPaths) ctx.putImageData(image, e, f);
}

function inView([west, east, north, south], { across, down, left, top }, { width, height }) {
  return (
    west * across + left <= width + MARGIN &&
    east * across + left >= -MARGIN &&
    north * down + top <= height + MARGIN &&
    south * down + top >= -MARGIN
  );
}
