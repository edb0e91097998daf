/* What a level within a radius means for odds, at half, one and two radii: odds between two places grow with
 * distance.
 */

import { el } from "../../core/dom.js";
import { tableHead } from "../../core/elements.js";
import { metres, number, percent } from "../../core/format.js";

const RADII = [0.5, 1, 2];

/** e to the `power` = 2.72, where it can be written out. */
function factor(power) {
  const value = Math.exp(power);
  return [
    el("span", {}, "e", el("sup", {}, number(power))),
    value < 1e6 ? ` = ${number(value, value < 1.1 ? 5 : 3)}` : "",
  ];
}

/** What odds of one to one become at most. */
function guess(power) {
  const share = 1 / (1 + Math.exp(-power));
  return share > 0.999 ? `over ${percent(0.999)}` : percent(share, share < 0.525 ? 4 : 3);
}

/** Fill the table `host` for a level; hide it where there is none. */
export function showOdds(host, { epsilon, radius_m }) {
  host.hidden = !(epsilon > 0 && radius_m > 0);
  if (host.hidden) return;
  const row = (radii) =>
    el(
      "tr",
      { dataset: { radii: String(radii) } },
      el("th", { scope: "row" }, metres(radii * radius_m)),
      el("td", {}, factor(radii * epsilon)),
      el("td", {}, guess(radii * epsilon)),
    );
  host.replaceChildren(
    el(
      "caption",
      {},
      "Had the protected events happened elsewhere, each up to so far away, the odds of a release " +
        "would differ by at most so much, and a 50:50 guess between the two would become at most so " +
        "certain.",
    ),
    tableHead(["Up to", "Odds differ by", "A 50:50 guess becomes at most"], ""),
    el("tbody", {}, RADII.map(row)),
  );
}
