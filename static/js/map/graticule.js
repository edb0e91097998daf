/* Meridians and parallels with their degrees, in place of a base map. */

import { token } from "../core/series_style.js";
import { setText, write } from "./drawing.js";
import { latAt, unitX, unitY } from "./projection.js";

const WHOLE = [1, 2, 5, 10, 15, 30, 45, 90];
const APART_PX = 96;

/** The distance of two meridians in degrees: 1, 2 or 5 times a power of ten, at least about 96 pixels. */
export function stepFor(degreesPerPixel) {
  const wanted = degreesPerPixel * APART_PX;
  if (wanted > 0.5) return WHOLE.find((step) => step >= wanted) ?? 90;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * ([1, 2, 5].find((step) => step * power >= wanted * 0.999) ?? 10);
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
  const between = (low, high, letters, place) => {
    const all = [];
    for (let k = Math.ceil(low / step); k * step <= high; k++)
      all.push({ text: degreesText(k * step, step, letters), at: Math.round(place(k * step)) + 0.5 });
    return all;
  };
  const lon = (x) => (x / scale - 0.5) * 360;
  const [south, north] = [latAt(Math.min(1, (top + height) / scale)), latAt(Math.max(0, top / scale))];
  return {
    x: between(lon(left), lon(left + width), ["E", "W"], (at) => unitX(at) * scale - left),
    y: between(south, north, ["N", "S"], (at) => unitY(at) * scale - top),
  };
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
  setText(ctx, { colour: "--muted", width: 6 }); // a ground of its own, over the names of streets
  for (const { text, at } of x) if (at > 70 && at < view.width - 110) write(ctx, text, at + 4, 15);
  for (const { text, at } of y) if (at > 34 && at < view.height - 52) write(ctx, text, 6, at - 5);
}
