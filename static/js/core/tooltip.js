/* The tooltip of charts and map: what is under the pointer, then a row for each release with its value and unit.
 *
 * Rows come in the order of the legend. Screen readers get the same from the tables beside charts and map.
 */

import { el, svg } from "./dom.js";
import { cssColour, dashLengths } from "./series_style.js";

const ROW_PX = 17;
const AWAY_PX = 8; // from what it is about
const WIDEST_PX = 420;

/** A piece of a line in its colour and dash. @param {{colour?: Colour | null, dash?: string}} lineStyle */
export function lineSample({ colour, dash = "" }) {
  const dashes = dashLengths(dash).map((length) => length * 0.75);
  const line = svg("path", { d: "M0 4h20", "stroke-dasharray": dashes.join(" ") || null });
  line.style.stroke = cssColour(colour);
  return svg("svg", { class: "tooltip__sample", viewBox: "0 0 20 8", "aria-hidden": "true" }, line);
}

/** As many of `rows` as fit, and how many more there are. @param {TooltipRow[]} rows @param {number} most */
function listOf(rows, most) {
  const shown = rows.length > most ? rows.slice(0, Math.max(1, most - 1)) : rows;
  const left = rows.length - shown.length;
  const items = shown.map(({ name, value, ...style }) => el("li", lineSample(style), el("span", name), el("b", value)));
  return [el("ul", items), left ? el("p", `and ${left} more`) : ""];
}

/**
 * @typedef {{name: string, value: string, colour?: Colour | null, dash?: string}} TooltipRow
 *
 * A tooltip to append to a positioned element. `show({title, rows}, at)` puts it beside `at.x`, px from that element's
 * left edge, of whose `width` and `height` it uses what there is: rows that do not fit are counted. `groups` = [{title,
 * rows}] come instead of rows.
 */
export function createTooltip() {
  const element = el("div.tooltip", { hidden: true, "aria-hidden": "true" });
  return {
    element,
    hide: () => (element.hidden = true),
    /** @param {{title: string, rows?: TooltipRow[], groups?: {title: string, rows: TooltipRow[]}[]}} what
     * @param {{x: number, width: number, height?: number, y?: number}} at */
    show({ title, rows = [], groups = [{ title: "", rows }] }, { x, width, height = Infinity, y = 4 }) {
      const most = Math.max(1, Math.floor((height / groups.length - 30) / ROW_PX));
      const parts = groups.flatMap((one) => [one.title ? el("p", one.title) : "", ...listOf(one.rows, most)]);
      element.replaceChildren(el("p", title), ...parts);
      element.hidden = false;
      const before = x > width / 2;
      element.style.setProperty("max-width", `${Math.min((before ? x : width - x) - 2 * AWAY_PX, WIDEST_PX)}px`);
      element.style.setProperty("left", before ? "auto" : `${x + AWAY_PX}px`);
      element.style.setProperty("right", before ? `${width - x + AWAY_PX}px` : "auto");
      element.style.setProperty("top", `${y}px`);
    },
  };
}
