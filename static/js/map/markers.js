/* Marks over the lines: landmarks with the halo of their stay, dots, the selected event with its noise. */

import { dashLengths, cssColour, token } from "../core/series_style.js";
import { circlePath, setText, write } from "./drawing.js";
import { frameOf } from "./positions.js";
import { circle, near, placer } from "./projection.js";

const HALF_WORLD_M = 9e6; // a circle larger than this is everywhere
const LOOKED_AT = 500_000; // events that are marked; of more every second, third, …
const MANY = 300; // discs that are drawn one by one

/** Paint landmarks: one halo around all that lie close together, a dot on each event (one per few pixels). */
export function drawLandmarks(ctx, view, { positions, runs }) {
  const places = spread(view, positions, runs, 6);
  drawHalos(ctx, view, places);
  ctx.fillStyle = cssColour("--accent");
  ctx.strokeStyle = token("--map");
  ctx.lineWidth = 1.5;
  drawDiscs(ctx, places, 4);
}

function drawHalos(ctx, { width, height }, places) {
  ctx.fillStyle = cssColour("--accent");
  ctx.globalAlpha = 0.18;
  if (isCrowd(ctx, places)) {
    const context = offscreen(ctx.canvas.width, ctx.canvas.height, ctx, { strokeStyle: "transparent" });
    context.setTransform(ctx.getTransform());
    drawDiscs(context, places, 14);
    ctx.drawImage(context.canvas, 0, 0, width, height); // as one: where halos overlap it is no darker
  } else {
    ctx.beginPath(); // one path, for the same reason
    for (let i = 0; i < places.length; i += 2) {
      ctx.moveTo(places[i] + 14, places[i + 1]);
      ctx.arc(places[i], places[i + 1], 14, 0, 2 * Math.PI);
    }
    ctx.fill();
  }
  ctx.globalAlpha = 1;
}

const isCrowd = (ctx, places) => places.length > 2 * MANY && !ctx.isVector;

/** The context of another canvas, in the style of `ctx`. */
function offscreen(width, height, { fillStyle, strokeStyle, lineWidth }, style = {}) {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  return Object.assign(context, { fillStyle, strokeStyle, lineWidth, ...style });
}

/** A disc on each place in the context's fill and stroke; many are printed from one. */
function drawDiscs(ctx, places, r) {
  const drawn = (context, x, y) => {
    circlePath(context, x, y, r);
    context.fill();
    context.stroke();
  };
  if (!isCrowd(ctx, places)) {
    for (let i = 0; i < places.length; i += 2) drawn(ctx, places[i], places[i + 1]);
    return;
  }
  const ratio = ctx.getTransform().a;
  const half = Math.ceil((r + ctx.lineWidth) * ratio);
  const context = offscreen(2 * half, 2 * half, ctx);
  context.setTransform(ratio, 0, 0, ratio, half, half);
  drawn(context, 0, 0);
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  for (let i = 0; i < places.length; i += 2)
    ctx.drawImage(context.canvas, Math.round(places[i] * ratio) - half, Math.round(places[i + 1] * ratio) - half);
  ctx.restore();
}

/** Screen places [x, y, x, y, …] of the events in `runs`, at most one in each cell; none once over `most`. */
function spread(view, positions, runs, cell, most = Infinity) {
  const [columns, rows] = [Math.ceil((view.width + 12) / cell) + 2, Math.ceil((view.height + 12) / cell) + 2];
  const taken = new Uint8Array(columns * rows);
  const places = [];
  const frame = frameOf(view, positions.middle);
  const box = [-6, -6, view.width + 6, view.height + 6];
  const put = (_, x, y) => {
    const key = Math.round((y + 6) / cell) * columns + Math.round((x + 6) / cell);
    if (taken[key]) return true;
    taken[key] = 1;
    places.push(x, y);
    return places.length <= 2 * most;
  };
  const every = Math.ceil(runs.reduce((sum, [start, end]) => sum + end - start, 0) / LOOKED_AT) || 1;
  for (const [start, end] of runs) positions.eachPoint(frame, box, put, start, end, every);
  return places;
}

/** Paint dots: {positions, colour, radius, hollow, most}; none where they would be more than `most`: a crowd. */
export function drawDots(ctx, view, { positions, colour, radius = 3, hollow = false, most = Infinity }) {
  const places = spread(view, positions, [[0, positions.n]], Math.max(3, radius * 1.5), most);
  if (places.length > 2 * most) return;
  ctx.fillStyle = hollow ? token("--map") : cssColour(colour);
  ctx.strokeStyle = hollow ? cssColour(colour) : token("--map");
  ctx.lineWidth = 1.25;
  drawDiscs(ctx, places, radius);
}

/**
 * Paint the selected event: {lon, lat, landmark, circles: [{radius_m, colour, dash, label}], links: [{lon, lat,
 * colour}]}. Circles hold a share of the releases the noise can make; links lead to those that were made.
 */
export function drawSelection(ctx, view, chosen, middle) {
  const place = placer(view, middle);
  for (const ring of chosen.circles ?? []) {
    if (ring.radius_m < HALF_WORLD_M) drawRing(ctx, view, place, chosen, ring);
  }
  const [x, y] = place(chosen.lon, chosen.lat);
  for (const link of chosen.links ?? []) {
    const [tx, ty] = place(link.lon, link.lat);
    ctx.strokeStyle = ctx.fillStyle = cssColour(link.colour);
    ctx.lineWidth = 1.5;
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(tx, ty);
    ctx.stroke();
    circlePath(ctx, tx, ty, 4.5);
    ctx.fill();
    ctx.strokeStyle = token("--map");
    ctx.stroke();
  }
  ctx.fillStyle = chosen.landmark ? cssColour("--accent") : token("--map");
  ctx.strokeStyle = token("--foreground");
  ctx.lineWidth = 2.5;
  circlePath(ctx, x, y, 6.5);
  ctx.fill();
  ctx.stroke();
}

function drawRing(ctx, { width, height }, place, { lon, lat }, { radius_m, colour, dash, label }) {
  const corners = circle(lon, lat, radius_m).map(([a, b]) => place(lon + near(a - lon, 0), b));
  ctx.beginPath();
  corners.forEach(([x, y], i) => {
    const jump = i && Math.abs(x - corners[i - 1][0]) > 4 * Math.max(width, height) && radius_m > 2e6;
    if (jump) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  });
  ctx.strokeStyle = ctx.fillStyle = cssColour(colour);
  ctx.globalAlpha = 0.06;
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1.5;
  ctx.setLineDash(dashLengths(dash));
  ctx.stroke();
  ctx.setLineDash([]);
  const [x, y] = corners[Math.round(corners.length / 8)]; // north-east, away from the degrees
  const wide = Math.abs(corners[0][1] - corners[corners.length >> 1][1]) > 44; // else labels would lie on each other
  if (!label || !wide || x < 0 || x > width || y < 12 || y > height) return;
  setText(ctx);
  write(ctx, label, x + 5, y - 4);
}
