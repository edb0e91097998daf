/* The row of what costs nothing, in the order of the table: it is never ticked. */

import { el } from "../../core/dom.js";
import { swatch } from "../swatch.js";

/**
 * {element, take(found), figure(), fill(contents)}: the row `title`, which stands where the order has the figure of the
 * newest forecast, `figureOf(found)`; null for none.
 */
export function freeRow(title, lineStyle, columns, figureOf) {
  const cells = columns.map((style) => el("td", { class: style }));
  const name = el("span", { class: "line" }, swatch(lineStyle), el("span", {}, title));
  const parts = [el("td"), el("th", { scope: "row" }, name), cells, el("td", { class: "errors__open" })];
  /** @type {number | null} */
  let figure = null;
  return {
    element: el("tr", { class: "errors__free", dataset: { free: "" } }, parts),
    take: (/** @type {any} */ found) => (figure = figureOf(found)),
    figure: () => figure,
    fill: (contents) => cells.forEach((cell, i) => cell.replaceChildren(...[contents[i]].flat())),
  };
}
