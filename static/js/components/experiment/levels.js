/* Levels of an experiment within the reference radius: numbers of its axis of levels, and their names. */

import { metres } from "../../core/format.js";
import { levelText, within } from "../../core/level.js";

const LEVEL = /(^|\.)mechanism\.epsilon$/;

/** Whether an axis is that of the releases' levels. */
export const isLevel = ({ level }, axis) => Boolean(level) && LEVEL.test(axis.name.split(",")[0]);

/** The radius of the cell `at`; that of all cells where they have one; null otherwise. */
function radiusOf({ level }, at) {
  if (level.axis === null) return level.radii[0];
  return at ? level.radii[at[level.axis]] : null;
}

/** The number of a value of an axis in the cell `at`: a level within the reference radius, others as they are. */
export function numberOf(results, axis, value, at) {
  const { number } = results.axes[axis].values[value];
  if (number === null || !isLevel(results, results.axes[axis])) return number;
  const radius = radiusOf(results, at);
  return radius === null ? number : within(number, radius, results.level.reference_m);
}

/** The name of a value of an axis: that of a level states its radius, and how it was set within another one. */
export function labelOf(results, axis, value) {
  const { label, number } = results.axes[axis].values[value];
  if (number === null || !isLevel(results, results.axes[axis])) return label;
  const radius = radiusOf(results, null);
  return radius === null ? `${label} within its radius` : levelText(number, radius, results.level.reference_m);
}

/** The title of a horizontal axis, with its unit; that of levels with the radius they are stated at. */
export function axisTitle(results, axis) {
  const { title, symbol, unit } = axis;
  const text = [title, symbol].filter(Boolean).join(" ");
  if (!isLevel(results, axis)) return unit ? `${text}, ${unit}` : text;
  const { reference_m: reference, radii } = results.level;
  const others = [...new Set(radii)].filter((one) => one !== null && one !== reference);
  const set = others.length ? ` (set within ${others.map(metres).join(", ")})` : "";
  return `${text} within ${metres(reference)}${set}`;
}

/** The levels of `found` by the values of the axes of `results`, within its reference radius. */
export function alignedLevel({ axes, level }, { axes: own, level: { axis, radii, reference_m } }) {
  const reference = level?.reference_m ?? reference_m;
  if (axis === null) return { axis, radii, reference_m: reference };
  const at = axes.findIndex(({ name }) => name === own[axis].name);
  const places = axes[at].values.map(({ label }) => own[axis].values.findIndex((value) => value.label === label));
  return { axis: at, radii: places.map((place) => radii[place] ?? null), reference_m: reference };
}
