/* A chart of counts over the timestamps of a stream. */

import { createFigure } from "../charts/figure.js";
import { count } from "../core/format.js";
import { nearestIndex } from "../core/sorted_search.js";
import { ticksOf } from "./timestamp_ticks.js";
import { el } from "../core/dom.js";

/**
 * @typedef {{index: number[], labels: string[], timestamps: number, name: string, span?: [number, number]}} Shown
 * @typedef {{id: string, name: string, y: (number | null)[], colour: any, dash?: string}} Line
 */

/**
 * A chart in `host`; `name` is the stem of the files saved from it. `show(shown, lines)` draws lines over the
 * timestamps `shown.index`.
 *
 * @param {HTMLElement} host
 * @param {{title: string, name: string, unit?: string}} options
 */
export async function createCountChart(host, { title, name, unit = "count" }) {
  const figure = await createFigure(host, { title, unit, name, log: false, item: "timestamp" });
  return {
    ...figure,
    /** @param {Shown} shown @param {Line[]} lines */
    draw({ index, labels, timestamps, name: stream, span = [0, Math.max(timestamps - 1, 1)] }, lines) {
      const nameOf = (/** @type {number} */ at) => labels[nearestIndex(index, at)] ?? "";
      return figure.show({
        title: stream ? `${title}: ${stream}` : title,
        lines: lines.map((line) => ({ ...line, x: index })),
        span,
        whole: span,
        ticks: ticksOf(index, labels, host.clientWidth),
        note: count(timestamps, "timestamp"),
        vertical: unit === "count" ? "counts" : unit,
        item: "timestamp",
        by: { key: "x", name: "timestamp" },
        pointName: nameOf,
      });
    },
  };
}

/** @typedef {{title: string, axis: import("./plot_scale.js").Axis, lines: {id: string, name: string, style: any,
 *   y: number[]}[], range: [number, number]}} Large */

/**
 * Open the large view of a chart; once it is closed, `button` has the focus again and the chart is gone.
 *
 * @param {Large} what
 * @param {HTMLElement} button
 */
export async function openLargeChart({ title, axis, lines, range: [first, after] }, button) {
  const host = el("div.chart.chart--large-only");
  document.body.append(host);
  const chart = await createCountChart(host, { title, name: "streams-dimension" });
  const { edges, labels, timestamps } = axis;
  const span = /** @type {[number, number]} */ ([edges[first], edges[after - 1]]);
  const drawn = lines.map(({ style, ...line }) => ({ ...line, ...style }));
  chart.enlarge(() => {
    host.remove();
    button.focus();
  });
  await chart.draw({ index: edges.slice(0, labels.length), labels, timestamps, name: "", span }, drawn);
}
