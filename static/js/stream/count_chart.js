/* A chart of counts over the timestamps of a stream. */

import { createFigure } from "../charts/figure.js";
import { whole } from "../core/format.js";

/**
 * @typedef {{index: number[], labels: string[], timestamps: number, name: string}} Shown
 * @typedef {{id: string, name: string, y: (number | null)[], colour: any, dash?: string, marker?: string, visible?: boolean}} Line
 */

/**
 * A chart in `host`; `name` is the stem of the files saved from it. `show(shown, lines)` draws lines over the
 * timestamps `shown.index`.
 *
 * @param {HTMLElement} host
 * @param {{title: string, name: string}} options
 */
export async function createCountChart(host, { title, name }) {
  const figure = await createFigure(host, { title, unit: "count", name, log: false });
  return {
    ...figure,
    /** @param {Shown} shown
     * @param {Line[]} lines */
    draw({ index, labels, timestamps, name: stream }, lines) {
      const x = index.map((at) => at + 1);
      const labelOf = new Map(x.map((at, i) => [at, labels[i]]));
      return figure.show({
        title: `${title}: ${stream}`,
        lines: lines.map((line) => ({ ...line, x })),
        span: [1, timestamps],
        whole: [1, timestamps],
        note: `${whole(timestamps)} timestamps`,
        vertical: "count",
        by: { key: "x", name: "timestamp" },
        pointName: (/** @type {number} */ at) => labelOf.get(at) ?? `timestamp ${whole(at)}`,
      });
    },
  };
}
