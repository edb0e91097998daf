/* Typical and 95 % errors on a logarithmic axis in metres, beside GPS and the scale of the data. Places are shares of
 * the width, so that nothing is scaled but the distances.
 */

import { el, svg } from "../../core/dom.js";
import { quantity } from "../../core/elements.js";
import { metres } from "../../core/format.js";
import { themedColour } from "../../core/series_style.js";

const GPS_M = 10;
const CLOSE_PX = 46; // two names that are closer are not both written
const EDGE = 0.03;
const NAMES = { gps_m: "GPS", stay_radius_m: "stay", median_step_m: "step", extent_m: "extent" };

/** {least, most} in metres, of the axis that holds all errors of `rows` and the scale. */
export function axisOf({ extent_m }, rows) {
  const values = [GPS_M, extent_m, ...rows.flatMap(({ errors: { overall } }) => [overall.typical_m, overall.p95_m])];
  const known = values.filter((value) => value > 0);
  return { least: Math.min(...known) / 1.3, most: Math.max(...known) * 1.3 };
}

/** Where a distance lies, as a share of the width. */
export const placeOf = ({ least, most }, value) =>
  EDGE + (1 - 2 * EDGE) * (Math.log(Math.max(value, least) / least) / Math.log(most / least));

const share = (axis, value) => `${(100 * placeOf(axis, value)).toFixed(2)}%`;

const lines = (axis, scale) =>
  Object.entries({ gps_m: GPS_M, ...scale })
    .filter(([name, value]) => name in NAMES && value >= axis.least)
    .map(([name, value]) => ({ name, value, x: placeOf(axis, value) }))
    .sort((a, b) => a.x - b.x);

/** The lines whose names are written in so many px: GPS and the extent always, others where there is space. */
export function namedLines(axis, scale, width) {
  const all = lines(axis, scale);
  const isAlways = ({ name }) => ["gps_m", "extent_m"].includes(name);
  const isClose = (one, other) => other !== one && Math.abs(other.x - one.x) * width < CLOSE_PX;
  const named = all.filter((one) => isAlways(one) || !all.some((other) => isAlways(other) && isClose(one, other)));
  return named.filter((one, i) => i === 0 || isAlways(one) || !isClose(one, named[i - 1]));
}

/** Write the names of the lines into `host`, above the rows; the lines themselves are the ground of `table`'s cells. */
export function showScale(table, host, axis, scale) {
  for (const name of Object.keys(NAMES)) table.style.removeProperty(`--${name}`);
  for (const { name, value } of lines(axis, scale)) table.style.setProperty(`--${name}`, share(axis, value));
  const written = ({ name, value }) =>
    el(
      "span",
      { class: "error-axis__name", style: { "--x": share(axis, value) } },
      NAMES[name],
      " ",
      quantity(name, metres(value)),
    );
  host.replaceChildren(...namedLines(axis, scale, host.closest("th").clientWidth).map(written));
}

/** One release: a dot at the typical error, a tick at the 95 % error. */
export function span(axis, { typical_m, p95_m }, { colour, dash }) {
  const [from, to] = [typical_m, p95_m].map((value) => share(axis, value));
  return svg(
    "svg",
    { class: "error-axis", "aria-hidden": "true", style: { "--own": themedColour(colour) } },
    svg("line", { x1: from, x2: to, y1: "50%", y2: "50%", "stroke-dasharray": dash || null }),
    svg("line", { x1: to, x2: to, y1: "20%", y2: "80%" }),
    svg("circle", { cx: from, cy: "50%", r: 4 }),
  );
}
