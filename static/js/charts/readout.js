/* What a chart's lines are at one event or value, as its tooltip shows it. */

import { isInRuns } from "../core/event_runs.js";
import { number } from "../core/format.js";
import { nearestIndex } from "../core/sorted_search.js";
import { valueText } from "../core/value_text.js";
import { eventText } from "./event_scale.js";

/** "landmark", "dummy landmark" or "". */
export const kindOf = (event, bands, hollow) =>
  isInRuns(hollow, event) ? "dummy landmark" : isInRuns(bands, event) ? "landmark" : "";

/** The point of a line nearest to `at`; lines over values need not be sorted. */
function indexAt({ x }, at, values) {
  if (!values) return nearestIndex(x, at);
  return x.reduce((best, one, i) => (Math.abs(one - at) < Math.abs(x[best] - at) ? i : best), x.length ? 0 : -1);
}

/** "412 m"; with `more`, "412 m (380 m to 450 m)" or "412 m, median 390 m"; "–" where there is no value. */
function textAt({ y, low, high, median }, i, unit, more) {
  const text = (value) => valueText(value, unit);
  if (i < 0 || y[i] === null || y[i] === undefined) return "–";
  if (!more) return text(y[i]);
  const band = low ? ` (${text(low[i])} to ${text(high[i])})` : "";
  return text(y[i]) + band + (median ? `, median ${text(median.values[i])}` : "");
}

/** Lines in the order of `ids`, those of the legend; as they are without. */
export const inOrder = (lines, ids) => (ids ? [...lines].sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)) : lines);

/**
 * {title, rows} for the tooltip of `shown`, a chart, at an event or value: visible lines in the legend's order,
 * with bands and medians where there is space for `more`.
 */
export function readoutOf(shown, at, more) {
  const { lines, bands, hollow, x, unit = "" } = shown;
  const kind = x ? "" : kindOf(at, bands, hollow);
  const title = x ? `${x.short ?? x.name}: ${number(at, 4)}` : `${eventText(shown, at)}${kind && ` · ${kind}`}`;
  const rows = inOrder(lines, shown.order?.())
    .filter(({ visible = true, x: known }) => visible && known.length > 1)
    .map((line) => {
      const { id, name, short = name, colour, dash } = line;
      return {
        id,
        name: short,
        colour,
        dash,
        value: textAt(line, indexAt(line, at, Boolean(x)), line.unit ?? unit, more),
      };
    });
  return { title, rows };
}
