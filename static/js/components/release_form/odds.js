/* What a level means for odds and for a guess. Bounds are rounded up. No page is needed for this module. */

import { number } from "../../core/format.js";
import { floorOf } from "../budget_shares.js";

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
