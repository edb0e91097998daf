/* What a chart's lines are at one event, as text beside it. */

import { el } from "../core/dom.js";
import { eventNumber, number } from "../core/format.js";
import { cssColour } from "../core/series_style.js";
import { nearestIndex } from "../core/sorted_search.js";

const inRuns = (runs, event) => runs.some(([start, end]) => event >= start && event < end);

/** "landmark", "dummy landmark" or "". */
export const kindOf = (event, bands, hollow) =>
  inRuns(hollow, event) ? "dummy landmark" : inRuns(bands, event) ? "landmark" : "";

/** The value of a line at an event, of the nearest known one where the line is thinned out. */
function valueAt({ x, y, low, high }, event) {
  const i = nearestIndex(x, event);
  if (i < 0 || y[i] === null || y[i] === undefined) return "–";
  return low ? `${number(y[i])} (${number(low[i])} to ${number(high[i])})` : number(y[i]);
}

/** {element, show(shown, event, {x, width}), hide()}: `shown` as a chart draws it, `x` where the event is. */
export function createReadout() {
  const element = el("div", { class: "chart__readout", hidden: true, "aria-hidden": "true" });
  return {
    element,
    hide: () => (element.hidden = true),
    show({ lines, bands, hollow, pointName }, event, { x, width }) {
      const kind = kindOf(event, bands, hollow);
      const rows = lines
        .filter(({ visible = true, x: known }) => visible && known.length > 1)
        .map((line) =>
          el(
            "li",
            {},
            el("i", { style: { background: cssColour(line.colour) } }),
            el("span", {}, line.name),
            el("b", {}, valueAt(line, event)),
          ),
        );
      const point = pointName ? pointName(event) : `event ${eventNumber(event)}${kind && ` · ${kind}`}`;
      element.replaceChildren(el("p", {}, point), el("ul", {}, rows));
      element.hidden = false;
      const left = x > width / 2;
      element.style.setProperty("left", left ? "auto" : `${x + 8}px`);
      element.style.setProperty("right", left ? `${width - x + 8}px` : "auto");
    },
  };
}
