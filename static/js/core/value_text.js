/* Values with their units, as tooltips and readouts have them. No page is needed for this module. */

import { metres, number, percent, whole } from "./format.js";

const NARROW = "\u202f"; // between a number and its unit

/** @type {Record<string, (value: number) => string>} */
const UNITS = { m: metres, ε: (value) => `ε${NARROW}${number(value)}`, count: whole, share: percent };

/**
 * A value as tooltips show it: 1.23 km, ε 0.5, 40 %; – for none. Every chart and the map use it.
 *
 * @param {number | null | undefined} value
 * @param {string} unit
 */
export function valueText(value, unit) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return UNITS[unit]?.(value) ?? `${number(value)}${unit && NARROW + unit}`;
}
