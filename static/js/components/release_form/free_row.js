/* The row of what costs nothing, in the order of the table: it is never ticked. */

import { el } from "../../core/dom.js";
import { swatch } from "../swatch.js";

/** {element, fill(contents), set(figure), place()}: the row `title`, which stands where the order has `figure`. */
export function freeRow(title, lineStyle, columns) {
  const cells = columns.map((style) => el("td", { class: style }));
  const name = el("span", { class: "line" }, swatch(lineStyle), el("span", {}, title));
  const element = el(
    "tr",
    { class: "errors__free", dataset: { free: "" } },
    el("td"),
    el("th", { scope: "row" }, name),
    cells,
    el("td", { class: "errors__open" }),
  );
  /** @type {number | null} */
  let figure = null;
  return {
    element,
    fill: (contents) => cells.forEach((cell, i) => cell.replaceChildren(...[contents[i]].flat())),
    set: (/** @type {number | null} */ to) => (figure = to),
    place: () => figure,
  };
}
