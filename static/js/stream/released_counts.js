/* A chart of released counts over the timestamps of a stream. */

import { createChart } from "../charts/chart.js";
import { nearestIndex } from "../core/sorted_search.js";
import { ticksOf } from "./timestamp_ticks.js";

/**
 * Draw counts of one stream as releases published them, beside the original's where `curves` has them.
 *
 * @param {HTMLElement} host
 * @param {any} curves
 * @param {{id: string, title: string, style: any}[]} releases
 */
export async function drawReleasedCounts(host, curves, releases) {
  const { index, labels, timestamps, name } = curves;
  const released = releases.map(({ id, title, style }, i) => ({
    id,
    name: title,
    x: index,
    y: curves.released[i],
    colour: style.colour,
    dash: style.dash,
    marker: style.marker,
  }));
  const original = { id: "original", name: "Original", x: index, y: curves.original, colour: "--foreground" };
  const lines = curves.original ? [original, ...released] : released;
  const chart = await createChart(host, {
    label: () => `Counts of ${name}: ${lines.map((line) => line.name).join(", ")}.`,
  });
  const pointName = (/** @type {number} */ at) => labels[nearestIndex(index, at)] ?? "";
  await chart.draw({
    lines,
    rules: [],
    bands: [],
    span: [0, Math.max(1, timestamps - 1)],
    log: false,
    ticks: ticksOf(index, labels, host.clientWidth),
    item: "timestamp",
    titles: { y: "count" },
    pointName,
  });
}
