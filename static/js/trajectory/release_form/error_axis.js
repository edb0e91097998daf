/* Typical and 95 % errors on a logarithmic axis in metres, beside GPS and the scale of the data. */

import { el, svg } from "../../core/dom.js";
import { metres } from "../../core/format.js";
import { themedColour } from "../../core/series_style.js";

const [WIDTH, EDGE, HEIGHT] = [280, 6, 20];
const GPS_M = 10;
const CLOSE = 46; // px: two names that are closer are not both written

/** {least, most} in metres, of the axis that holds all errors of `rows` and the scale. */
export function axisOf({ extent_m }, rows) {
  const values = [GPS_M, extent_m, ...rows.flatMap(({ errors: { overall } }) => [overall.typical_m, overall.p95_m])];
  const known = values.filter((value) => value > 0);
  return { least: Math.min(...known) / 1.3, most: Math.max(...known) * 1.3 };
}

/** Where a distance lies, px. */
export const placeOf = ({ least, most }, value) =>
  EDGE + (WIDTH - 2 * EDGE) * (Math.log(Math.max(value, least) / least) / Math.log(most / least));

const lines = (axis, scale) =>
  [
    ["GPS", GPS_M],
    ["stay", scale.stay_radius_m],
    ["step", scale.median_step_m],
    ["extent", scale.extent_m],
  ]
    .filter(([, value]) => value >= axis.least)
    .map(([name, value]) => ({ name, value, x: placeOf(axis, value) }))
    .sort((a, b) => a.x - b.x);

/** The names and distances of the lines, above the rows. The extent and GPS are always named. */
export function scaleHead(axis, scale) {
  const all = lines(axis, scale);
  const isAlways = ({ name }) => ["GPS", "extent"].includes(name);
  const isClose = (one, other) => other !== one && Math.abs(other.x - one.x) < CLOSE;
  const named = all.filter((one) => isAlways(one) || !all.some((other) => isAlways(other) && isClose(one, other)));
  const apart = named.filter((one, i) => i === 0 || isAlways(one) || !isClose(one, named[i - 1]));
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} 26`, class: "error-axis", role: "img", "aria-label": apart.map(nameOf).join(", ") },
    apart.map(({ name, value, x }) => {
      const at = { x: Math.min(Math.max(x, 16), WIDTH - 22), "text-anchor": "middle" };
      return [svg("text", { ...at, y: 10 }, name), svg("text", { ...at, y: 23 }, metres(value))];
    }),
  );
}

const nameOf = ({ name, value }) => `${name} ${metres(value)}`;

/** One mechanism: a dot at the typical error, a tick at the 95 % error. */
export function span(axis, scale, { typical_m, p95_m }, lineStyle) {
  const [from, to] = [placeOf(axis, typical_m), placeOf(axis, p95_m)];
  const middle = HEIGHT / 2;
  return el(
    "span",
    { class: "error-axis__row" },
    svg(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        class: "error-axis",
        "aria-hidden": "true",
        style: { "--own": themedColour(lineStyle.colour) },
      },
      lines(axis, scale).map(({ x }) => svg("path", { class: "error-axis__line", d: `M${x} 0V${HEIGHT}` })),
      svg("path", { class: "error-axis__span", d: `M${from} ${middle}H${to}M${to} ${middle - 5}v10` }),
      svg("circle", { class: "error-axis__dot", cx: from, cy: middle, r: 4 }),
    ),
  );
}
