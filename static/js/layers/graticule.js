/* Meridians and parallels with their degrees, in place of a base map. */

import { token } from "../ink.js";
import { latAt, unitX, unitY } from "./globe.js";

const WHOLE = [1, 2, 5, 10, 15, 30, 45, 90];
const APART_PX = 96;

/** The distance of two meridians in degrees: 1, 2 or 5 times a power of ten, at least about 96 pixels. */
export function stepFor(degreesPerPixel) {
  const wanted = degreesPerPixel * APART_PX;
  if (wanted > 0.5) return WHOLE.find((step) => step >= wanted) ?? 90;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * [1, 2, 5, 10].find((step) => step * power >= wanted * 0.999);
}

/** 2.35° E, 48.86° N, with as many decimals as the step has. */
export function degreesText(value, step, [positive, negative]) {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const wrapped = positive === "E" ? value - 360 * Math.round(value / 360) : value;
  const text = Math.abs(wrapped).toFixed(decimals);
  const side = Number(text) === 0 || Math.abs(wrapped) === 180 ? "" : ` ${wrapped > 0 ? positive : negative}`;
  return `${text}°${side}`;
}

/** Paint the graticule. */
export function drawGraticule(ctx, { width, height, scale, left, top }) {
  const step = stepFor(360 / scale);
  ctx.strokeStyle = token("--grid") || token("--line");
  ctx.lineWidth = 1;
  ctx.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const labels = [];
  const west = (left / scale - 0.5) * 360;
  const east = ((left + width) / scale - 0.5) * 360;
  ctx.beginPath();
  for (let k = Math.ceil(west / step); k * step <= east; k++) {
    const at = Math.round(unitX(k * step) * scale - left) + 0.5;
    ctx.moveTo(at, 0);
    ctx.lineTo(at, height);
    if (at > 60 && at < width - 40) labels.push([degreesText(k * step, step, "EW"), at + 4, 14]);
  }
  const south = latAt(Math.min(1, (top + height) / scale));
  const north = latAt(Math.max(0, top / scale));
  for (let k = Math.ceil(south / step); k * step <= north; k++) {
    const at = Math.round(unitY(k * step) * scale - top) + 0.5;
    ctx.moveTo(0, at);
    ctx.lineTo(width, at);
    if (at > 30) labels.push([degreesText(k * step, step, "NS"), 5, at - 5]);
  }
  ctx.stroke();
  ctx.fillStyle = token("--muted");
  ctx.strokeStyle = token("--map");
  ctx.lineWidth = 3;
  for (const [text, x, y] of labels) {
    ctx.strokeText(text, x, y);
    ctx.fillText(text, x, y);
  }
}
