/* Plots below the heat map: lanes of budgets and groups, what the windows spent, and the axis that all plots share. */

import { el } from "../core/dom.js";
import { number } from "../core/format.js";
import { cssColour, token } from "../core/series_style.js";
import { clearCanvas, drawLine, drawTickTexts, drawUpright, fitted } from "./canvas.js";
import { ticksOf } from "./plot_scale.js";

const BARS_PX = 26;
const LINE_PX = 12;
const LANE_PX = 15;
const NARROW_LABEL_PX = 15; // above a lane where there is no space beside it

/**
 * @typedef {{name: string, colour: any, budgets: (number | null)[]}} Spending
 * @typedef {{name: string, colour: any, cluster_start: boolean[], group_size: number[]}} Grouping
 */

/** Lanes in `host`: `draw(spending, groupings, scale)`. @param {HTMLElement} host */
export function createLanes(host) {
  const canvas = el("canvas", { role: "img" });
  host.replaceChildren(canvas);
  /** @type {{label: string[], values: (number | boolean | null)[]}[]} */
  let lanes = [];
  return {
    canvas,
    /** What the lanes show, in their order. */
    shown: () => lanes,
    /** @param {Spending} spending @param {Grouping[]} groupings @param {PlotScale} scale */
    draw(spending, groupings, scale) {
      const painted = lanesOf(spending, groupings);
      lanes = painted;
      const above = scale.left ? 0 : NARROW_LABEL_PX;
      const height = painted.reduce((sum, lane) => sum + lane.height + above + 3, 0);
      const ctx = clearCanvas(canvas, scale.width, height);
      let top = 0;
      for (const { label, height: tall, paint } of painted) {
        writeLabel(ctx, label, top, tall, scale);
        paint(ctx, scale, top + above, tall);
        top += tall + above + 3;
      }
      canvas.setAttribute("aria-label", painted.map(({ label }) => label.join(", ")).join(", "));
      host.dataset.lanes = String(lanes.length);
    },
  };
}

/** @param {(number | null)[]} budgets */
const mostOf = (budgets) => Math.max(0, ...budgets.map((budget) => budget ?? 0));

/** @param {Spending} spending @param {Grouping[]} groupings */
export function lanesOf(spending, groupings) {
  const { name, budgets } = spending;
  return [
    {
      label: [name, `ε each, max ${number(mostOf(budgets), 3)}`],
      height: BARS_PX,
      values: budgets,
      paint: bars(spending),
    },
    ...groupings.flatMap((one) => [
      { label: [`clusters: ${one.name}`], height: LANE_PX, values: one.cluster_start, paint: clusters(one) },
      { label: [`group size: ${one.name}`], height: LANE_PX, values: one.group_size, paint: groups(one) },
    ]),
  ];
}

/** @param {CanvasRenderingContext2D} ctx
 * @param {string[]} label in lines
 * @param {number} top
 * @param {number} height
 * @param {PlotScale} scale */
function writeLabel(ctx, label, top, height, { left }) {
  ctx.fillStyle = token("--muted");
  ctx.textAlign = left ? "right" : "left";
  ctx.textBaseline = "middle";
  if (!left) return ctx.fillText(label.join(", "), 0, top + NARROW_LABEL_PX / 2);
  label.forEach((line, i) => {
    const y = top + height / 2 + (i - (label.length - 1) / 2) * LINE_PX;
    ctx.fillText(fitted(ctx, line, left - 10), left - 8, y);
  });
}

/** @param {Spending} spending */
const bars =
  ({ budgets, colour }) =>
  /** @type {Paint} */ (ctx, scale, top, height) => {
    const most = Math.max(mostOf(budgets), Number.MIN_VALUE);
    ctx.fillStyle = token("--map");
    ctx.fillRect(scale.left, top, scale.inner, height);
    ctx.fillStyle = cssColour(colour);
    const width = Math.max(scale.inner / scale.columns - 0.5, 1);
    budgets.forEach((budget, column) => {
      const tall = ((budget ?? 0) / most) * (height - 2);
      ctx.fillRect(scale.xOf(column), top + height - tall, width, tall);
    });
  };

/** @typedef {(ctx: CanvasRenderingContext2D, scale: PlotScale, top: number, height: number) => void} Paint */

/** Clusters as blocks, with a gap where one begins. @param {Grouping} grouping */
const clusters =
  ({ cluster_start: starts, colour }) =>
  /** @type {Paint} */ (ctx, scale, top, height) => {
    ctx.fillStyle = cssColour(colour);
    ctx.fillRect(scale.left, top, scale.inner, height - 1);
    ctx.fillStyle = token("--paper");
    starts.forEach((begins, column) => {
      if (begins && column) ctx.fillRect(scale.xOf(column) - 0.5, top, 1, height - 1);
    });
  };

/** Groups as shades: the more dimensions share a mean, the darker. @param {Grouping} grouping */
const groups =
  ({ group_size: sizes, colour }) =>
  /** @type {Paint} */ (ctx, scale, top, height) => {
    const most = Math.max(...sizes, 2);
    ctx.fillStyle = cssColour(colour);
    sizes.forEach((size, column) => {
      ctx.globalAlpha = 0.1 + 0.9 * (Math.log(size) / Math.log(most));
      ctx.fillRect(scale.xOf(column), top, scale.inner / scale.columns + 0.5, height - 1);
    });
    ctx.globalAlpha = 1;
  };

const HEIGHT_PX = 72;
const AXIS_PX = 34; // as high as the shades of a brush
const HEADROOM = 1.12;
const LABEL_PX = 12; // from one label to the next

/**
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
