/* What a level within a radius means for odds, at half, one and two radii: odds between two places grow with
 * distance. Bounds are rounded up.
 */

import { factorText, guessText } from "../../components/release_form/odds.js";
import { el } from "../../core/dom.js";
import { quantity, tableHead } from "../../core/elements.js";
import { metres } from "../../core/format.js";

const RADII = [0.5, 1, 2];

/** Fill the table `host` for a level; hide it where there is none. */
export function showOdds(host, { epsilon, radius_m }) {
  host.hidden = !(epsilon > 0 && radius_m > 0);
  if (host.hidden) return;
  const ofRadii = (name, radii) => (radii === 1 ? name : `${name}:${radii}`);
  const row = (radii) =>
    el(
      "tr",
      { dataset: { radii: String(radii) } },
      el("th", { scope: "row" }, metres(radii * radius_m)),
      el("td", {}, quantity(ofRadii("odds", radii), factorText(radii * epsilon))),
      el("td", {}, quantity(ofRadii("guess", radii), guessText(radii * epsilon))),
    );
  host.replaceChildren(
    el(
      "caption",
      {},
      "Had the protected events happened elsewhere, each up to so far away, the odds of a release would differ by at " +
        "most such a factor, and a 50:50 guess between the two would become at most so certain.",
    ),
    tableHead(["Up to", "Odds differ by", "A 50:50 guess becomes at most"], ""),
    el("tbody", {}, RADII.map(row)),
  );
}
