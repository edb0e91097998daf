/* Marks over the lines: landmarks with the halo of their stay, dots, the selected event with its noise. */

import { dashOf, inkOf, token } from "../ink.js";
import { circle, near, unitX, unitY } from "./globe.js";
import { labelFont } from "./graticule.js";

const HALF_WORLD_M = 9e6; // a circle larger than this is everywhere

/** Paint landmarks: one halo around all that lie close together, a dot on each event (one per few pixels). */
export function drawLandmarks(ctx, view, { unit, runs }) {
  const places = [...spread(view, unit, runs)];
  const disc = ([x, y], r) => {
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, 2 * Math.PI);
  };
  ctx.fillStyle = inkOf("--accent");
  ctx.globalAlpha = 0.18;
  ctx.beginPath(); // one path: where halos overlap it is no darker
  for (const place of places) disc(place, 14);
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.strokeStyle = token("--map");
  ctx.lineWidth = 1.5;
  for (const place of places) {
    ctx.beginPath();
    disc(place, 4);
    ctx.fill();
    ctx.stroke();
  }
}

/** Screen places of the events in `runs`, at most one in each cell of 6 pixels. */
function* spread({ width, height, scale, left, top }, { x, y }, runs, cell = 6) {
  const taken = new Set();
  for (const [start, end] of runs) {
    for (let i = start; i < end; i++) {
      const [cx, cy] = [x[i] * scale - left, y[i] * scale - top];
      if (cx < -6 || cy < -6 || cx > width + 6 || cy > height + 6) continue;
      const key = Math.round(cx / cell) * 65536 + Math.round(cy / cell);
      if (!taken.has(key)) {
        taken.add(key);
        yield [cx, cy];
      }
    }
  }
}

/** Paint dots: {unit, colour, radius, hollow}. */
export function drawDots(ctx, view, { unit, colour, radius = 3, hollow = false }) {
  ctx.fillStyle = hollow ? token("--map") : inkOf(colour);
  ctx.strokeStyle = hollow ? inkOf(colour) : token("--map");
  ctx.lineWidth = 1.25;
  for (const [x, y] of spread(view, unit, [[0, unit.x.length]], Math.max(3, radius * 1.5))) {
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  }
}

/**
 * Paint the selected event: {lon, lat, landmark, circles: [{radius_m, colour, dash, label}], links: [{lon, lat, colour}]}.
 * Circles hold a share of the releases the noise can make; links lead to those that were made.
 */
export function drawSelection(ctx, view, chosen, middle) {
  const place = (lon, lat) => [
    unitX(near(lon, middle)) * view.scale - view.left,
    unitY(lat) * view.scale - view.top,
  ];
  for (const ring of chosen.circles ?? []) {
    if (ring.radius_m < HALF_WORLD_M) drawRing(ctx, view, place, chosen, ring);
  }
  const [x, y] = place(chosen.lon, chosen.lat);
  for (const link of chosen.links ?? []) {
    const [tx, ty] = place(link.lon, link.lat);
    ctx.strokeStyle = ctx.fillStyle = inkOf(link.colour);
    ctx.lineWidth = 1.5;
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(tx, ty);
    ctx.stroke();
    ctx.beginPath();
    ctx.arc(tx, ty, 4.5, 0, 2 * Math.PI);
    ctx.fill();
    ctx.strokeStyle = token("--map");
    ctx.stroke();
  }
  ctx.fillStyle = chosen.landmark ? inkOf("--accent") : token("--map");
  ctx.strokeStyle = token("--ink");
  ctx.lineWidth = 2.5;
  ctx.beginPath();
  ctx.arc(x, y, 6.5, 0, 2 * Math.PI);
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
  ctx.strokeStyle = ctx.fillStyle = inkOf(colour);
  ctx.globalAlpha = 0.06;
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1.5;
  ctx.setLineDash(dashOf(dash));
  ctx.stroke();
  ctx.setLineDash([]);
  const [x, y] = corners[Math.round(corners.length / 8)]; // north-east, away from the degrees
  const wide = Math.abs(corners[0][1] - corners[corners.length >> 1][1]) > 44; // else labels would lie on each other
  if (!label || !wide || x < 0 || x > width || y < 12 || y > height) return;
  ctx.font = labelFont();
  ctx.strokeStyle = token("--map");
  ctx.lineWidth = 3;
  ctx.strokeText(label, x + 5, y - 4);
  ctx.fillStyle = token("--ink");
  ctx.fillText(label, x + 5, y - 4);
}
