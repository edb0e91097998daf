/* How the points of an experiment are read: which axis lies horizontally, which gives lines, which gives charts. */

import { metres } from "../../core/format.js";
import { levelText, within } from "../../core/level.js";

const FIRST = ["release", "release.mechanism", "dummies"]; // what is compared is distinguished by lines
const ROLES = ["along", "lines", "facet"];

const isNumeric = (axis) => axis.values.every(({ number }) => number !== null);

/** The view to begin with: {measure, along, lines, facet, fixed}; axes by their index, null where there is none. */
export function usualView({ axes, along, marked }) {
  const fits = along !== null && (isNumeric(axes[along]) || (marked && axes[along].name === "landmarks"));
  const across = fits ? along : null;
  const rest = axes.map((_, i) => i).filter((i) => i !== across);
  const lines = rest.find((i) => FIRST.includes(axes[i].name)) ?? rest.at(-1) ?? null;
  const others = rest.filter((i) => i !== lines);
  const facet = others[0] ?? null;
  return { measure: 0, along: across, lines, facet, fixed: Object.fromEntries(others.slice(1).map((i) => [i, 0])) };
}

/** The same with `axis` (or null) in a role; who was there takes the place it came from. */
export function withRole(view, role, axis) {
  const was = ROLES.find((one) => view[one] === axis && axis !== null);
  const fixed = { ...view.fixed };
  const left = view[role];
  const next = { ...view, [role]: axis };
  delete fixed[axis];
  if (was && was !== role) next[was] = left;
  else if (left !== null && left !== axis) fixed[left] = 0;
  return { ...next, fixed };
}

/** Axes that may lie horizontally: numbers, or ways to mark that have a measured share. */
export const mayLie = ({ axes, marked }) =>
  axes.map((_, i) => i).filter((i) => isNumeric(axes[i]) || (marked && axes[i].name === "landmarks"));

/** What is distinguished by its value in every axis: a key that two experiments over the same axes have in common. */
const keyOf = (axes, at) => JSON.stringify(axes.map((axis, i) => [axis.name, axis.values[at[i]].label]).sort());

/** Points by what they are, to look up those of another experiment. */
export function indexOf({ axes, points }) {
  return new Map(points.map((point) => [keyOf(axes, point.at), point]));
}

export const sameAs = (index, axes, point) => index.get(keyOf(axes, point.at)) ?? null;

/** The points of `found` under the axes of `results`, so that one view reads both; what it lacks is missing. */
export function alignedTo(results, found) {
  const { axes } = results;
  const index = indexOf(found);
  const places = axes.reduce((rows, axis) => rows.flatMap((row) => axis.values.map((_, i) => [...row, i])), [[]]);
  const missing = { share: null, values: found.measures.map(() => null) };
  const level = found.level && alignedLevel(results, found);
  return { ...found, axes, level, points: places.map((at) => ({ ...(index.get(keyOf(axes, at)) ?? missing), at })) };
}

/** True if two experiments are over the same axes, so that their points can be laid beside each other. */
export const comparable = (one, other) =>
  String(one.axes.map(({ name }) => name).sort()) === String(other.axes.map(({ name }) => name).sort());

function valuesOf(axes, axis) {
  return axis === null ? [null] : axes[axis].values.map((_, i) => i);
}

/**
 * [{title, lines: [{value, x, y, low, high, n}]}], a chart for each value of the facet, a line for each value of the
 * axis of lines; `value` is its index, and null on a baseline: a line of the facet's value that is "none", laid into
 * all other charts.
 */
export function panelsOf(results, view, measure = view.measure) {
  const { axes, points, marked } = results;
  const found = new Map(points.map((point) => [point.at.join(), point]));
  const line = (facet, value) => {
    const at = axes.map((_, i) => (i === view.facet ? facet : i === view.lines ? value : (view.fixed[i] ?? 0)));
    const across = valuesOf(axes, view.along).map((i) => {
      if (i !== null) at[view.along] = i;
      const point = found.get(at.join());
      const one = point?.values[measure];
      if (one === null || one === undefined || one.mean === null) return null;
      const number = i === null ? null : numberOf(results, view.along, i, at);
      return { x: marked || number === null ? point.share : number, ...one };
    });
    const known = across.filter(Boolean);
    const column = (name) => known.map((one) => one[name]);
    return { value, x: column("x"), y: column("mean"), low: column("low"), high: column("high"), n: column("n") };
  };
  const facets = valuesOf(axes, view.facet);
  const none = view.facet === null || facets.length < 2 ? -1 : axes[view.facet].values.findIndex((value) => value.none);
  const lines = valuesOf(axes, view.lines);
  const baseline =
    none < 0
      ? []
      : distinct(lines.map((value) => line(none, value))).map((one) => ({ ...one, value: null, baseline: true }));
  return facets
    .filter((facet) => facet !== none)
    .map((facet) => ({
      title: titleOf(results, view, facet),
      lines: [...lines.map((value) => line(facet, value)), ...baseline],
    }));
}

/** What a chart is about: "Share of landmarks 20 %", "Weak, s = 1"; of the only one, "By release". */
function titleOf(results, view, facet) {
  const { axes } = results;
  if (facet === null) return view.lines === null ? "All cells" : `By ${axes[view.lines].title.toLowerCase()}`;
  const label = labelOf(results, view.facet, facet);
  const { number } = axes[view.facet].values[facet];
  return number === null ? label : `${axes[view.facet].title} ${label}`;
}

/** Lines without those that lie on another one, as far as they go yet. */
export function distinct(lines) {
  const near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), 1);
  const liesOn = (one, other) =>
    one.x.every((x, i) => other.x.some((at, j) => near(at, x) && near(other.y[j], one.y[i])));
  const longest = lines.filter(({ y }) => y.length).sort((a, b) => b.y.length - a.y.length);
  return longest.filter((one, i) => !longest.slice(0, i).some((other) => liesOn(one, other)));
}

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

/** A line style for each value of an axis; a mechanism that comes again (smoothed, or read in another way) the next. */
export function axisLineStyles(axis, palette) {
  const all = Object.values(palette);
  if (!axis) return [all[0][0]];
  const used = {};
  return axis.values.map(({ mechanism }, i) => {
    const own = palette[mechanism];
    if (!own) return all[i % all.length][Math.floor(i / all.length) % all[0].length];
    used[mechanism] = (used[mechanism] ?? -1) + 1;
    return own[used[mechanism] % own.length];
  });
}
