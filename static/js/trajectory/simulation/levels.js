/* The scale of a slider of levels: two decades around a level, and where the guess of home is how far off. */

import { number } from "../../core/format.js";

export const STEPS = 1000;
const APART = 0.11; // of the scale, between the texts of two ticks
const DISTANCES = [10_000, 5000, 2000, 1000, 500, 300, 200, 100, 50, 20, 10, 5, 2, 1];
const NAMES = new Map([
  [100, "street"],
  [20, "house"],
  [5, "entrance"],
]);

/** The powers of ten that the scale around a level ends at. @param {number} epsilon @returns {[number, number]} */
export function endsOf(epsilon) {
  const middle = Math.round(Math.log10(epsilon));
  return [10 ** (middle - 1), 10 ** (middle + 1)];
}

/** Where a level lies on the scale, from 0 to 1. */
export const shareOf = (epsilon, [low, high]) => Math.log(epsilon / low) / Math.log(high / low);

/** The level at a share of the scale, to two digits. */
export const levelAt = (share, [low, high]) => Number((low * (high / low) ** share).toPrecision(2));

/** Ticks of the levels: [{share, text}] at 1, 2 and 5 of each decade. */
export function levelTicks(ends) {
  const [low] = ends;
  return [1, 2, 5, 10, 20, 50, 100].map((step) => ({ share: shareOf(step * low, ends), text: number(step * low, 1) }));
}

/**
 * Ticks of how far off the guess of home is: [{share, metres, name}], each where `away(epsilon)` falls below it for the
 * first time, none too near to the one before.
 *
 * @param {[number, number]} ends
 * @param {(epsilon: number) => number} away metres
 */
export function homeTicks(ends, away, parts = 120) {
  const at = Array.from({ length: parts + 1 }, (_, k) => away(ends[0] * (ends[1] / ends[0]) ** (k / parts)));
  const found = [];
  for (const metres of DISTANCES) {
    const k = at.findIndex((one) => one <= metres);
    if (k < 1) continue; // nearer at the whole scale, or nowhere
    const share = (k - 1 + (at[k - 1] - metres) / (at[k - 1] - at[k])) / parts;
    const before = found.at(-1)?.share ?? -1;
    if (share - before >= APART) found.push({ share, metres, name: NAMES.get(metres) ?? "" });
  }
  return found;
}
