/* Zones, and what is being drawn: outlines in the landmarks' colour. */

import { cssColour, token } from "../core/series_style.js";
import { circlePath, labelFont, setText, write } from "./drawing.js";
import { circle, near, placer, unitX, unitY } from "./projection.js";

const BEND_DEG = 0.5; // edges are straight in degrees: on the map a long one bends
const NARROW_PX = 28; // a zone smaller than this carries no label
const LABEL_DROP_PX = 4; // from the middle of a line of text to its baseline

/** Paint zones as the API has them; the one numbered `selected` stronger. */
export function drawZones(ctx, view, { zones, selected }, middle) {
  ctx.strokeStyle = ctx.fillStyle = cssColour("--accent");
  ctx.lineJoin = "round";
  zones.forEach((zone, i) => {
    const rings = zone.type === "Circle" ? [circle(...zone.center, zone.radius_m)] : zone.coordinates;
    const box = outline(ctx, view, rings, middle);
    ctx.globalAlpha = i === selected ? 0.16 : 0.08;
    ctx.fill("evenodd");
    ctx.globalAlpha = i === selected ? 1 : 0.75;
    ctx.lineWidth = i === selected ? 2.25 : 1.25;
    ctx.stroke();
    ctx.globalAlpha = 1;
    if (!zone.label || box.right - box.left <= NARROW_PX) return;
    const y = zone.inside ? (box.top + box.bottom) / 2 + LABEL_DROP_PX : box.top - 6;
    writeLabel(ctx, zone.label, (box.left + box.right) / 2, y);
  });
}

/** Rings [[lon, lat], …] as the path; returns the outer ring's box in pixels. */
function outline(ctx, view, rings, middle) {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  ctx.beginPath();
  for (const ring of rings) {
    let lon = near(ring[0][0], middle);
    let lat = ring[0][1];
    ctx.moveTo(unitX(lon) * view.scale - view.left, unitY(lat) * view.scale - view.top);
    for (const [x, y] of ring) {
      const to = near(x, lon);
      const pieces = Math.min(64, Math.ceil(Math.abs(y - lat) / BEND_DEG) || 1);
      for (let k = 1; k <= pieces; k++) {
        const px = unitX(lon + ((to - lon) * k) / pieces) * view.scale - view.left;
        const py = unitY(lat + ((y - lat) * k) / pieces) * view.scale - view.top;
        ctx.lineTo(px, py);
        if (ring !== rings[0]) continue;
        box.left = Math.min(box.left, px);
        box.right = Math.max(box.right, px);
        box.top = Math.min(box.top, py);
        box.bottom = Math.max(box.bottom, py);
      }
      [lon, lat] = [to, y];
    }
    ctx.closePath();
  }
  return box;
}

function writeLabel(ctx, text, x, y) {
  ctx.save();
  setText(ctx, { font: `600 ${labelFont()}`, textAlign: "center" });
  write(ctx, text, x, y);
  ctx.restore();
}

/**
 * Paint what is being drawn: `corners` [[lon, lat], …] with a line to `to` and back, or `round` {lon, lat, radius_m,
 * text}, or `box` {x, y, width, height} in pixels.
 */
export function drawSketch(ctx, view, { corners, to, round, box }, middle) {
  ctx.strokeStyle = ctx.fillStyle = cssColour("--accent");
  ctx.lineWidth = 1.75;
  ctx.lineJoin = "round";
  if (corners?.length) sketchCorners(ctx, placer(view, middle), corners, to);
  if (round) sketchRound(ctx, view, round, middle);
  if (box) {
    ctx.setLineDash([5, 4]);
    ctx.strokeRect(box.x + 0.5, box.y + 0.5, box.width, box.height);
    ctx.setLineDash([]);
    ctx.globalAlpha = 0.1;
    ctx.fillRect(box.x, box.y, box.width, box.height);
    ctx.globalAlpha = 1;
  }
}

function sketchCorners(ctx, put, corners, to) {
  const points = corners.map((corner) => put(...corner));
  ctx.beginPath();
  points.forEach((point) => ctx.lineTo(...point));
  ctx.stroke();
  if (to) {
    ctx.setLineDash([5, 4]);
    ctx.globalAlpha = 0.7;
    ctx.beginPath();
    ctx.moveTo(...points.at(-1));
    ctx.lineTo(...put(...to));
    if (points.length > 1) ctx.lineTo(...points[0]);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.setLineDash([]);
  }
  points.forEach(([x, y], i) => {
    circlePath(ctx, x, y, i ? 3.5 : 6); // the first closes the ring: a larger mark
    ctx.fillStyle = i ? cssColour("--accent") : token("--panel");
    ctx.fill();
    ctx.stroke();
  });
}

function sketchRound(ctx, view, { lon, lat, radius_m, text }, middle) {
  const [x, y] = placer(view, middle)(lon, lat);
  if (radius_m > 0) {
    outline(ctx, view, [circle(lon, lat, radius_m)], middle);
    ctx.globalAlpha = 0.1;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.stroke();
  }
  circlePath(ctx, x, y, 4);
  ctx.fill();
  if (text) writeLabel(ctx, text, x, y - 12);
}
