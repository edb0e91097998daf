/* Small charts of pinned dimensions: the same lines and range of time, each with its own scale or all with one. */

import { el } from "../core/dom.js";
import { number, whole } from "../core/format.js";
import { token } from "../core/series_style.js";
import { clearCanvas, drawLine, drawTickTexts, drawUpright } from "./canvas.js";
import { enlargeButton } from "../charts/enlarge.js";
import { ticksOf } from "./plot_scale.js";
import { roundUp } from "./raster.js";

const HEIGHT_PX = 118;
const LEFT_PX = 50;
const BELOW_PX = 32; // ticks and the title of the axis

/**
 * @typedef {import("./plot_scale.js").Axis} Axis
 * @typedef {{id: string, name: string, style: any, row: (dimension: number) => Float64Array}} Line
 * @typedef {{dimensions: number[], names: string[], notes: string[], lines: Line[], axis: Axis,
 *   range: [number, number], common: boolean, column: number}} Shown
 * @typedef {{select: (dimension: number) => void, unpin: (dimension: number) => void,
 *   enlarge: (dimension: number, button: HTMLElement) => void}} Listeners
 */

/**
 * Charts in `host`: `draw(shown)`; `on.unpin(dimension)`, `on.select(dimension)`, `on.enlarge(dimension, button)`.
 *
 * @param {HTMLElement} host
 * @param {Listeners} on
 */
export function createSmallMultiples(host, on) {
  /** @type {Map<number, ReturnType<typeof createOne>>} */
  const charts = new Map();
  /** @type {Shown | null} */
  let shown = null;

  function paint() {
    if (!shown) return;
    const { dimensions, lines, range } = shown;
    const spans = dimensions.map((dimension) => spanOf(lines, dimension, range));
    const common = [Math.min(0, ...spans.map(([low]) => low)), Math.max(1, ...spans.map(([, high]) => high))];
    dimensions.forEach((dimension, i) => {
      charts.get(dimension)?.draw(/** @type {Shown} */ (shown), i, shown?.common ? common : spans[i]);
    });
    host.dataset.range = range.join("-");
    host.dataset.lines = lines.map(({ id }) => id).join(" ");
  }

  return {
    /** @param {Shown} what */
    draw(what) {
      shown = what;
      for (const [dimension, chart] of charts) {
        if (what.dimensions.includes(dimension)) continue;
        chart.element.remove();
        charts.delete(dimension);
      }
      what.dimensions.forEach((dimension) => {
        if (!charts.has(dimension)) charts.set(dimension, createOne(dimension, on));
      });
      host.replaceChildren(...what.dimensions.map((dimension) => charts.get(dimension)?.element ?? ""));
      if (!what.dimensions.length) host.append(el("p.muted", "Pin dimensions in the list to see them here."));
      paint();
    },
    paint,
    canvases: () => [...host.querySelectorAll("canvas")],
  };
}

/** The lowest and highest value of a dimension in the range, 0 among them.
 * @param {Line[]} lines
 * @param {number} dimension
 * @param {[number, number]} range
 * @returns {[number, number]} */
export function spanOf(lines, dimension, [first, after]) {
  let [low, high] = [0, 1];
  for (const { row } of lines) {
    for (const value of row(dimension).subarray(first, after)) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return [low < 0 ? -roundUp(-low) : 0, roundUp(high)];
}

/** 5k, 1.2M. @param {number} value */
export const short = (value) =>
  Math.abs(value) >= 1e6
    ? `${number(value / 1e6, 3)}M`
    : Math.abs(value) >= 1e4
      ? `${number(value / 1e3, 3)}k`
      : whole(value);

/** @param {number} dimension @param {Listeners} on */
function createOne(dimension, on) {
  const canvas = el("canvas", { role: "img" });
  const name = el("button.bare.multiple__name.grow.strong.clip", { onclick: () => on.select(dimension) });
  const note = el("span.small.muted");
  const remove = el("button.bare.multiple__unpin", { onclick: () => on.unpin(dimension) }, "×");
  const larger = enlargeButton(() => on.enlarge(dimension, larger));
  const head = el("div.multiple__head.line", name, note, larger, remove);
  const element = el("div.multiple", head, canvas);
  return {
    element,
    /** @param {Shown} shown @param {number} i @param {number[]} span */
    draw(shown, i, [low, high]) {
      const { lines, range, axis } = shown;
      name.textContent = shown.names[i];
      note.textContent = shown.notes[i];
      remove.setAttribute("aria-label", `Unpin ${shown.names[i]}`);
      larger.setAttribute("aria-label", `${shown.names[i]}: enlarge`);
      const width = element.clientWidth;
      const ctx = clearCanvas(canvas, width, HEIGHT_PX);
      const inner = width - LEFT_PX;
      const xOf = (/** @type {number} */ column) =>
        LEFT_PX + ((column + 0.5 - range[0]) / Math.max(range[1] - range[0], 1)) * inner;
      const yOf = (/** @type {number} */ value) => 4 + (1 - (value - low) / (high - low)) * (HEIGHT_PX - BELOW_PX - 5);
      drawFrame(ctx, { width, low, high, yOf, xOf, ticks: ticksOf(axis, range, inner) });
      for (const { style, row } of lines) drawLine(ctx, pointsOf(row(dimension), range, xOf, yOf, inner), style);
      if (shown.column >= range[0] && shown.column < range[1]) {
        ctx.fillStyle = token("--foreground");
        ctx.globalAlpha = 0.55;
        ctx.fillRect(Math.round(xOf(shown.column)), 4, 1, HEIGHT_PX - BELOW_PX - 5);
        ctx.globalAlpha = 1;
      }
      const shownLines = lines.map((line) => line.name).join(", ");
      canvas.setAttribute("aria-label", `${shown.names[i]}: ${shownLines}. ${shown.notes[i]}`);
    },
  };
}

/** @param {CanvasRenderingContext2D} ctx
 * @param {{width: number, low: number, high: number, yOf: (value: number) => number, xOf: (column: number) => number,
 *   ticks: [number, string][]}} frame */
function drawFrame(ctx, { width, low, high, yOf, xOf, ticks }) {
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  const separate = Math.abs(yOf(low) - yOf(0)) > 12; // two labels would overlap
  for (const value of new Set([...(separate ? [low] : []), 0, high / 2, high])) {
    ctx.fillStyle = token("--line");
    ctx.fillRect(LEFT_PX, Math.round(yOf(value)), width - LEFT_PX, 1);
    if (value === high / 2) continue;
    ctx.fillStyle = token("--muted");
    ctx.fillText(short(value), LEFT_PX - 5, Math.max(yOf(value), 7));
  }
  drawUpright(ctx, "count", HEIGHT_PX - BELOW_PX);
  ctx.fillStyle = token("--muted");
  ctx.textBaseline = "top";
  ctx.textAlign = "center";
  ctx.fillText("time", (LEFT_PX + width) / 2, HEIGHT_PX - 13);
  const placed = ticks.map(([column, text]) => /** @type {[number, string]} */ ([xOf(column), text]));
  drawTickTexts(ctx, placed, { left: LEFT_PX, right: width, top: HEIGHT_PX - BELOW_PX + 4 });
}

/** The points of a line; where several columns share a pixel the lowest and the highest of them.
 * @param {Float64Array} row
 * @param {[number, number]} range
 * @param {(column: number) => number} xOf
 * @param {(value: number) => number} yOf
 * @param {number} inner
 * @returns {[number, number][]} */
export function pointsOf(row, [first, after], xOf, yOf, inner) {
  const step = Math.max(Math.floor((after - first) / Math.max(inner, 1)), 1);
  /** @type {[number, number][]} */
  const points = [];
  for (let start = first; start < after; start += step) {
    const part = row.subarray(start, Math.min(start + step, after));
    if (part.length === 1) points.push([xOf(start), yOf(part[0])]);
    else for (const value of [Math.min(...part), Math.max(...part)]) points.push([xOf(start), yOf(value)]);
  }
  return points;
}
