/* A chart of counts over the timestamps of a stream. */

import { createFigure } from "../charts/figure.js";
import { count } from "../core/format.js";
import { nearestIndex } from "../core/sorted_search.js";
import { ticksOf } from "./timestamp_ticks.js";

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
