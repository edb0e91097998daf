/* One pinned dimension as a chart in a large view. */

import { el } from "../core/dom.js";
import { createCountChart } from "./count_chart.js";

/** @typedef {{title: string, axis: import("./plot_scale.js").Axis, lines: {id: string, name: string, style: any,
 *   y: number[]}[], range: [number, number]}} Large */

/**
 * Open the large view of a chart; once it is closed, `button` has the focus again and the chart is gone.
 *
 * @param {Large} what
 * @param {HTMLElement} button
 */
export async function openLargeChart({ title, axis, lines, range: [first, after] }, button) {
  const host = el("div", { class: "chart chart--large-only" });
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
