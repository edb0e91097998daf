/* Meridians and parallels with their degrees, in place of a base map. */

import { token } from "../core/series_style.js";
import { latAt, unitX, unitY } from "./projection.js";

const WHOLE = [1, 2, 5, 10, 15, 30, 45, 90];
const APART_PX = 96;

/** The distance of two meridians in degrees: 1, 2 or 5 times a power of ten, at least about 96 pixels. */
export function stepFor(degreesPerPixel) {
  const wanted = degreesPerPixel * APART_PX;
  if (wanted > 0.5) return WHOLE.find((step) => step >= wanted) ?? 90;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * ([1, 2, 5, 10].find((step) => step * power >= wanted * 0.999) ?? 10);
}

/** 2.35° E, 48.86° N, with as many decimals as the step has. */
export function degreesText(value, step, [positive, negative]) {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const wrapped = positive === "E" ? value - 360 * Math.round(value / 360) : value;
  const text = Math.abs(wrapped).toFixed(decimals);
  const side = Number(text) === 0 || Math.abs(wrapped) === 180 ? "" : ` ${wrapped > 0 ? positive : negative}`;
  return `${text}°${side}`;
}

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
  ctx.lineWidth = 3;
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
