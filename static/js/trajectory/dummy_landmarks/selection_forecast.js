/* How many dummies to expect, in bars and as text, before anything is drawn. */

import { el } from "../../core/dom.js";
import { count, number, percent, whole } from "../../core/format.js";

const label = ({ first, last }) => (first === last ? whole(first) : `${whole(first)} to ${whole(last)}`);

/** Rows of a table: a number of dummies, a bar, a share. */
export function bars(counts) {
  const most = Math.max(...counts.map(({ probability }) => probability));
  return counts.map((one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, label(one)),
      el(
        "td",
        {},
        el("span", {
          class: "chances__bar",
          style: { "inline-size": `${(100 * one.probability) / most}%` },
          "aria-hidden": "true",
        }),
      ),
      el("td", { class: "number" }, one.probability < 0.001 ? "< 0.1\u202f%" : percent(one.probability, 2)),
    ),
  );
}

/** The mean, as text. */
export function expected({ landmarks, points, expected: mean }) {
  const others = points - landmarks;
  if (!others) return "Every event is a landmark: no dummies can be added.";
  const about = mean < 100 ? number(mean, 2) : whole(mean);
  return `About ${about} of the ${count(others, "other event")} beside the ${count(landmarks, "landmark")}.`;
}

/** What so many dummies cost the landmarks of a release. */
export function budgetText({ landmarks, expected: mean }) {
  const marked = landmarks + Math.round(mean);
  if (marked === landmarks) return "";
  return (
    `Cost: with that many events in L′, Uniform gives each landmark ε/${whole(marked + 1)} instead of ` +
    `ε/${whole(landmarks + 1)}, ${number((marked + 1) / (landmarks + 1), 2)} times the noise.`
  );
}

/** What was drawn before, or nothing. */
export function before({ earlier_selections: draws, level_spent: level }, redrawing) {
  if (!draws) return "";
  return `${count(draws, "earlier selection")} from these landmarks, ε = ${number(level)} in total. ${redrawing}`;
}
