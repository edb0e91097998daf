/* Typical and 95 % errors on a logarithmic axis in metres, beside GPS and the scale of the data. */

import * as axis from "../../components/release_form/axis.js";
import { metres } from "../../core/format.js";

const GPS_M = 10;
const NAMES = { gps_m: "GPS", stay_radius_m: "stay", median_step_m: "step", extent_m: "extent" };
const ALWAYS = ["gps_m", "extent_m"];

/** The axis that holds all errors of `rows` and the scale. */
export const axisOf = ({ extent_m }, rows) =>
  axis.logarithmicAxis([
    GPS_M,
    extent_m,
    ...rows.flatMap(({ errors: { overall } }) => [overall.typical_m, overall.p95_m]),
  ]);

/** What errors are compared with. */
export const marksOf = (scaled, scale) =>
  Object.entries({ gps_m: GPS_M, ...scale })
    .filter(([name, value]) => name in NAMES && value >= scaled.least)
    .map(([name, value]) => ({
      ...{ name, value, title: NAMES[name], text: metres(value) },
      isAlways: ALWAYS.includes(name),
    }));

/** Write the names into `host`; what is beyond the extent is shaded. */
export const showScale = (table, host, scaled, scale) =>
  axis.showScale(table, host, scaled, marksOf(scaled, scale), scale.extent_m ? [scale.extent_m, null] : null);

/** One release: a dot at the typical error, a tick at the 95 % error. */
export const span = (scaled, { typical_m, p95_m }, lineStyle) =>
  axis.span(scaled, { from: typical_m, to: p95_m, dot: typical_m, ticks: [p95_m] }, lineStyle);
