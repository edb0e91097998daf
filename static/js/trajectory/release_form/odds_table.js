/* What a level within a radius means for odds, at half, one and two radii: odds between two places grow with
 * distance. Bounds are rounded up.
 */

import { floorOf } from "../../components/budget_shares.js";
import { el } from "../../core/dom.js";
import { quantity, tableHead } from "../../core/elements.js";
import { metres, number } from "../../core/format.js";

const RADII = [0.5, 1, 2];

/** A bound with `digits` significant digits, never rounded down. */
function atMost(value, digits) {
  const unit = 10 ** (Math.floor(Math.log10(value)) - digits + 1);
  return number(Math.ceil(value / unit - 1e-9) * unit, digits);
}

/** By how much odds differ at most, "2.72"; "e^20" where it is too large to be read. */
export function factorText(power) {
  const value = Math.exp(power);
  return value < 1e9 ? atMost(value, value < 1.1 ? 5 : 3) : `e^${number(power)}`;
}

/** What a 50:50 guess becomes at most, "73.2 %"; never certainty. */
export function guessText(power) {
  const share = 100 / (1 + Math.exp(-power));
  return share > 99.9 ? "over 99.9\u202f%" : `${atMost(share, share < 52.5 ? 4 : 3)}\u202f%`;
}

/** The largest ε of three digits at which a guess is right with at most this share. */
export const levelOfGuess = (share) => floorOf(Math.log(share / (1 - share)));

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
