/* Lanes below the heat map: budget of each timestamp, and how a mechanism grouped the selected dimension. */

import { el } from "../core/dom.js";
import { number } from "../core/format.js";
import { cssColour, token } from "../core/series_style.js";
import { clearCanvas, fitted } from "./canvas.js";

const BARS_PX = 26;
const LINE_PX = 12;
const LANE_PX = 15;
const NARROW_LABEL_PX = 15; // above a lane where there is no space beside it

/**
 * @typedef {import("./plot_scale.js").PlotScale} PlotScale
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
