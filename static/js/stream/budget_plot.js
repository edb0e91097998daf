/* What the timestamps of a window spent, over time, against ε; and the axis that all plots share. */

import { el } from "../core/dom.js";
import { number } from "../core/format.js";
import { token } from "../core/series_style.js";
import { clearCanvas, drawLine, drawTickTexts, drawUpright } from "./canvas.js";
import { ticksOf } from "./plot_scale.js";

const HEIGHT_PX = 72;
const AXIS_PX = 34; // as high as the shades of a brush
const HEADROOM = 1.12;
const LABEL_PX = 12; // from one label to the next

/**
 * @typedef {import("./plot_scale.js").PlotScale} PlotScale
 * @typedef {import("./plot_scale.js").Axis} Axis
 * @typedef {{id: string, name: string, style: any, spent: (number | null)[]}} Line
 */

/**
 * A plot in `host`. `draw({lines, epsilon, window}, scale)`: `epsilon` is the limit, `window` = {first, last, text} the
 * timestamps before the selected one, shaded.
 *
 * @param {HTMLElement} host
 */
export function createBudgetPlot(host) {
  const canvas = el("canvas", { role: "img" });
  host.replaceChildren(canvas);
  return {
    canvas,
    /** @param {{lines: Line[], epsilon: number, window: {first: number, last: number, text: string} | null}} what
     * @param {PlotScale} scale */
    draw({ lines, epsilon, window }, scale) {
      const largest = Math.max(epsilon, ...lines.flatMap(({ spent }) => spent.map((value) => value ?? 0)));
      const most = HEADROOM * largest;
      const yOf = (/** @type {number} */ value) => HEIGHT_PX - 1 - (value / most) * (HEIGHT_PX - 2);
      const ctx = clearCanvas(canvas, scale.width, HEIGHT_PX);
      drawFrame(ctx, scale, yOf, { epsilon, largest });
      if (window) drawWindow(ctx, scale, yOf, epsilon, window);
      for (const { style, spent } of lines) {
        const points = spent.map((value, column) => [scale.middleOf(column), value === null ? null : yOf(value)]);
        drawLine(ctx, /** @type {any} */ (points), style);
      }
      const names = lines.map(({ name }) => name).join(", ");
      canvas.setAttribute("aria-label", `Budget spent in windows, limit ε = ${number(epsilon, 6)}. ${names}`);
      host.dataset.lines = lines.map(({ id }) => id).join(" ");
    },
  };
}

/** @param {CanvasRenderingContext2D} ctx
 * @param {PlotScale} scale
 * @param {(value: number) => number} yOf
 * @param {{epsilon: number, largest: number}} values */
function drawFrame(ctx, scale, yOf, { epsilon, largest }) {
  ctx.fillStyle = token("--line");
  for (const value of [0, epsilon / 2]) ctx.fillRect(scale.left, Math.round(yOf(value)), scale.inner, 1);
  const ends = /** @type {[number, number][]} */ ([
    [scale.left, yOf(epsilon)],
    [scale.width, yOf(epsilon)],
  ]);
  drawLine(ctx, ends, { colour: "--foreground", dash: "7 4", width: 1 });
  ctx.fillStyle = token("--muted");
  ctx.textBaseline = "middle";
  ctx.textAlign = scale.left ? "right" : "left";
  const x = scale.left ? scale.left - 8 : 2;
  for (const { y, text } of labelsOf(scale, yOf, { epsilon, largest })) ctx.fillText(text, x, y);
  if (scale.left) drawUpright(ctx, "ε spent", HEIGHT_PX);
}

/**
 * Labels beside the plot, or below their lines in a narrow one: the limit, above that of 0; others where there is
 * space.
 *
 * @param {PlotScale} scale
 * @param {(value: number) => number} yOf
 * @param {{epsilon: number, largest: number}} values
 */
export function labelsOf(scale, yOf, { epsilon, largest }) {
  const [lowest, below] = [yOf(0) - 4, scale.left ? 0 : 8];
  const zero = { y: lowest, text: "0" };
  const limit = {
    y: Math.min(yOf(epsilon) + below, below ? lowest : lowest - LABEL_PX),
    text: `ε = ${number(epsilon, 4)}`,
  };
  const top = { y: yOf(largest) + below, text: number(largest, 3) };
  const half = { y: yOf(epsilon / 2), text: number(epsilon / 2, 3) };
  const found = below ? [limit] : [limit, zero];
  for (const one of below ? [top] : [top, half])
    if (found.every(({ y }) => Math.abs(y - one.y) >= LABEL_PX)) found.push(one);
  return found;
}

/** @param {CanvasRenderingContext2D} ctx
 * @param {PlotScale} scale
 * @param {(value: number) => number} yOf
 * @param {number} epsilon
 * @param {{first: number, last: number, text: string}} window */
function drawWindow(ctx, scale, yOf, epsilon, { first, last, text }) {
  const [left, right] = [scale.xOf(first), scale.xOf(last + 1)];
  ctx.fillStyle = token("--foreground");
  ctx.globalAlpha = 0.08;
  ctx.fillRect(left, yOf(epsilon), right - left, yOf(0) - yOf(epsilon));
  ctx.globalAlpha = 1;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const half = ctx.measureText(text).width / 2 + 2;
  const middle = Math.max(scale.left + half, Math.min(scale.width - half, (left + right) / 2));
  const y = yOf(epsilon / 2) + 10;
  ctx.fillText(text, middle, y < HEIGHT_PX - LABEL_PX / 2 ? y : HEIGHT_PX / 2);
}

/** The axis in `host`: `draw(axis, scale)`. @param {HTMLElement} host */
export function createAxis(host) {
  const canvas = el("canvas", { "aria-hidden": "true" });
  host.replaceChildren(canvas);
  return {
    canvas,
    /** @param {Axis} axis @param {PlotScale} scale */
    draw(axis, scale) {
      const ctx = clearCanvas(canvas, scale.inner, AXIS_PX);
      ctx.fillStyle = token("--muted");
      const ticks = ticksOf(axis, [0, scale.columns], scale.inner).map(
        ([column, text]) => /** @type {[number, string]} */ ([scale.xOf(column) - scale.left, text]),
      );
      for (const [x] of ticks) ctx.fillRect(Math.round(x), 0, 1, 4);
      drawTickTexts(ctx, ticks, { left: 0, right: scale.inner, top: 9 });
    },
  };
}
