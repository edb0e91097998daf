/* Meridians and parallels with their degrees, in place of a base map. */

import { token } from "../core/series_style.js";
import { degreesText, stepFor } from "./degrees.js";
import { latAt, unitX, unitY } from "./projection.js";

/** Where the lines are: {text, at} for meridians (x) and parallels (y). */
function lines({ width, height, scale, left, top }) {
  const step = stepFor(360 / scale);
  const [west, east] = [(left / scale - 0.5) * 360, ((left + width) / scale - 0.5) * 360];
  const [south, north] = [latAt(Math.min(1, (top + height) / scale)), latAt(Math.max(0, top / scale))];
  /** @type {Record<"x" | "y", {text: string, at: number}[]>} */
  const found = { x: [], y: [] };
  for (let k = Math.ceil(west / step); k * step <= east; k++) {
    found.x.push({
      text: degreesText(k * step, step, ["E", "W"]),
      at: Math.round(unitX(k * step) * scale - left) + 0.5,
    });
  }
  for (let k = Math.ceil(south / step); k * step <= north; k++) {
    found.y.push({
      text: degreesText(k * step, step, ["N", "S"]),
      at: Math.round(unitY(k * step) * scale - top) + 0.5,
    });
  }
  return found;
}

/** Paint the lines, under everything. */
export function drawGraticule(ctx, view) {
  ctx.strokeStyle = token("--line-strong");
  ctx.globalAlpha = 0.28;
  ctx.lineWidth = 1;
  ctx.beginPath();
  const { x, y } = lines(view);
  for (const { at } of x) {
    ctx.moveTo(at, 0);
    ctx.lineTo(at, view.height);
  }
  for (const { at } of y) {
    ctx.moveTo(0, at);
    ctx.lineTo(view.width, at);
  }
  ctx.stroke();
  ctx.globalAlpha = 1;
}

/** Paint their degrees, over the tracks. */
export function drawDegrees(ctx, view) {
  const { x, y } = lines(view);
  ctx.font = labelFont();
  ctx.fillStyle = token("--muted");
  ctx.strokeStyle = token("--map");
  ctx.lineWidth = 6; // a ground of its own, over the names of streets
  ctx.lineJoin = "round";
  const write = (text, left, top) => {
    ctx.strokeText(text, left, top);
    ctx.fillText(text, left, top);
  };
  for (const { text, at } of x) if (at > 70 && at < view.width - 110) write(text, at + 4, 15);
  for (const { text, at } of y) if (at > 34 && at < view.height - 52) write(text, 6, at - 5);
}

/** The font of text on the map. */
export function labelFont(px = 11) {
  return `${px}px ${token("--sans") || "system-ui, sans-serif"}`;
}
