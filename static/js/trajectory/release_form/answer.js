/* Which release is usable, as a sentence, and by which rule. */

import { el } from "../../core/dom.js";
import { quantity } from "../../core/elements.js";
import { count, metres, whole } from "../../core/format.js";

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
  if (!found)
    return [
      el("strong", {}, "No release is usable at this level"),
      el("span", {}, "raise ε or lower the radius", data),
    ];
  const landmarks = hasLandmarks && found.errors.landmarks.typical_m !== null;
  return [
    el("strong", {}, hasLandmarks ? `Usable: ${found.title}` : `Usable, without landmarks: ${found.title}`),
    el(
      "span",
      {},
      found.errors.people < people
        ? `of ${whole(found.errors.people)} of ${count(people, "person")} half of the events within `
        : "half of the events within ",
      errorOf(found, "typical_m"),
      landmarks && [" (landmarks ", errorOf(found, "typical_m", "landmarks"), ")"],
      ", 95\u202f% within ",
      errorOf(found, "p95_m"),
      data,
    ),
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
