/* Which release is usable, as a sentence, and by which rule; typical and 95 % errors on a logarithmic axis in metres,
 * beside GPS and the scale of the data.
 */

import * as axis from "../../components/release_form/axis.js";
import { el } from "../../core/dom.js";
import { quantity } from "../../core/elements.js";
import { count, metres, whole } from "../../core/format.js";

const GPS_M = 10;
const NAMES = { gps_m: "GPS", stay_radius_m: "stay", median_step_m: "step", extent_m: "extent" };
const ALWAYS = ["gps_m", "extent_m"];

/** The axis that holds all errors of `rows` and the scale. */
export function axisOf({ extent_m }, rows) {
  const errors = rows.flatMap(({ errors: { overall } }) => [overall.typical_m, overall.p95_m]);
  return axis.logarithmicAxis([GPS_M, extent_m, ...errors]);
}

/** What errors are compared with. */
export const marksOf = (scaled, scale) =>
  Object.entries({ gps_m: GPS_M, ...scale })
    .filter(([name, value]) => name in NAMES && value >= scaled.least)
    .map(([name, value]) => ({
      ...{ name, value, title: NAMES[name], text: metres(value) },
      isAlways: ALWAYS.includes(name),
      isFaint: name === "gps_m", // the same for all data
    }));

/** Write the names into `host`; what is beyond the extent is shaded. */
export const showScale = (table, host, scaled, scale) =>
  axis.showScale(table, host, scaled, marksOf(scaled, scale), scale.extent_m ? [scale.extent_m, null] : null);

/** One release: a dot at the typical error, a tick at the 95 % error. */
export const span = (scaled, { typical_m, p95_m }, lineStyle) =>
  axis.span(scaled, { from: typical_m, to: p95_m, dot: typical_m, ticks: [p95_m] }, lineStyle);

/** An error of a release as text, marked by what it is: `figure` "typical_m" or "p95_m" of a `group` of events. */
export const errorOf = ({ key, errors }, figure, group = "overall") =>
  quantity([figure, key, ...(group === "overall" ? [] : [group])].join(":"), metres(errors[group][figure]));

/**
 * The answer in a line, of the best row, null for none, beside the scale of the data, whether it has landmarks and how
 * many `people`, of whom the errors may be those of some.
 */
export function answerText(found, { extent_m }, hasLandmarks, people) {
  const data = extent_m ? ["; your data is ", quantity("extent_m", metres(extent_m)), " wide"] : [];
  const still =
    people > 1 ? "half of the people or more have their events at one place" : "all events are at one place";
  if (!found && !extent_m) return [el("strong", {}, `No verdict: ${still}.`)];
  const none = "No release is usable at this level";
  if (!found) return [el("strong", {}, none), el("span", {}, "raise ε or lower the radius", data)];
  const { title, errors } = found;
  const some = errors.people < people ? `of ${whole(errors.people)} of ${count(people, "person")} ` : "";
  const apart = hasLandmarks && errors.landmarks.typical_m !== null;
  const ofLandmarks = apart && [" (landmarks ", errorOf(found, "typical_m", "landmarks"), ")"];
  const half = [`${some}half of the events within `, errorOf(found, "typical_m"), ofLandmarks];
  return [
    el("strong", {}, hasLandmarks ? `Usable: ${title}` : `Usable, without landmarks: ${title}`),
    el("span", {}, half, ", 95\u202f% within ", errorOf(found, "p95_m"), data),
  ];
}

/** The rule of the verdicts, with the bounds of the data. */
export function ruleText(rules) {
  const bound = (name) => rules.find((one) => one.name === name)?.at_most_m;
  if (!bound("coarse")) return [];
  const upTo = (name, share) => [quantity(`${name}_m`, metres(bound(name))), `, ${share}`];
  return [
    el("strong", {}, "Rule, by 95\u202f% error"),
    el("span", {}, "usable: up to ", upTo("usable", "⅕ of the extent")),
    el("span", {}, "coarse: up to ", quantity("extent_m", metres(bound("coarse"))), ", the extent"),
    el("span", {}, "hides nothing: half of the noise below 10\u202fm, GPS accuracy"),
  ];
}
