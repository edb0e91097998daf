/* A short piece of a line, beside its name. */

import { svg } from "./dom.js";
import { themedColour } from "./series_style.js";

/** A line as the map and the charts draw it, of {colour, dash}; null for the original. */
export function swatch(/** @type {{colour: Colour, dash: string} | null | undefined} */ lineStyle) {
  const line = lineStyle ? { stroke: themedColour(lineStyle.colour), "stroke-dasharray": lineStyle.dash || null } : {};
  const path = svg("path", { d: "M0 7h30", ...line });
  return svg("svg", { class: "swatch", viewBox: "0 0 30 14", "aria-hidden": "true" }, path);
}
