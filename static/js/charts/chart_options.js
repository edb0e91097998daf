/* What the reader chose for all charts of a page, stored in its address: a link shows the same.
 *
 *   along    time or event: what the horizontal axis of time series shows
 *   median   1 for rolling medians in all charts, 0 for none; else in those that have one as they are made
 */

import { readdress } from "../core/address.js";
import { $$, el } from "../core/dom.js";

const AXES = ["event", "time"];
const parameters = new URLSearchParams(globalThis.location?.search);
const along = parameters.get("along") ?? "";

/** @type {{along: "event" | "time" | null, median: boolean | null}} */
export const options = {
  along: AXES.includes(along) ? /** @type {"event" | "time"} */ (along) : null,
  median: parameters.has("median") ? parameters.get("median") === "1" : null,
};
/** @type {Set<() => unknown>} */
const listeners = new Set();

/** Call `listener` after every change. @param {() => unknown} listener */
export const onOptions = (listener) => void listeners.add(listener);

/** @param {Partial<typeof options>} changes */
function choose(changes) {
  Object.assign(options, changes);
  readdress(({ searchParams }) => {
    if (options.along) searchParams.set("along", options.along);
    if (options.median !== null) searchParams.set("median", options.median ? "1" : "0");
  });
  for (const listener of listeners) listener();
}

/**
 * The controls of a chart, or of several: `fill({along, item, timed, series, median})` shows the axis chosen, of
 * charts of `item`s; `timed` is whether there is a choice, `series` whether lines are over events, `median` what the
 * medians drawn are of.
 */
export function createChartTools() {
  const button = (/** @type {string} */ name) =>
    el("button", { dataset: { along: name }, onclick: () => choose({ along: /** @type {any} */ (name) }) });
  const buttons = AXES.map(button);
  const axis = el("div.segmented", { role: "group", "aria-label": "Horizontal axis" }, buttons);
  const toggle = () => choose({ median: median.getAttribute("aria-pressed") !== "true" });
  const median = el("button.chart__scale", { onclick: toggle }, "Rolling median");
  const element = el("div.chart__tools", { hidden: true }, axis, median);
  return {
    element,
    /** @param {{along: string, item?: string, timed: boolean, series: boolean, median?: string}} shown */
    fill({ along: now, item = "event", timed, series, median: text = "" }) {
      buttons[0].textContent = `By ${item}`;
      buttons[1].textContent = "By time";
      for (const one of $$("button", axis)) one.setAttribute("aria-pressed", String(one.dataset.along === now));
      axis.hidden = !timed;
      median.setAttribute("aria-pressed", String(Boolean(text || options.median)));
      median.textContent = text || "Rolling median";
      element.hidden = !series;
    },
  };
}
