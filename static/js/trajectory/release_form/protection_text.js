/* What a protection is, as the API takes it and as text. No page is needed for this module. */

import { metres, percent } from "../../core/format.js";

/** The level that is typed, as the API takes it. @param {string} unit @param {number} value */
export const protectionOf = (unit, value) => (unit === "guess" ? { guess: value / 100 } : { epsilon: value });

/**
 * What a level within a radius protects, as a sentence.
 *
 * @param {{radius_m: number, guess: number}} found
 */
export function protectionText({ radius_m, guess }) {
  const share = guess > 0.999 ? `over ${percent(0.999)}` : `at most ${percent(guess, 3)}`;
  return (
    `If events are independent of each other, a 50:50 guess between where the protected events happened and other ` +
    `places, each up to ${metres(radius_m)} away, is right with ${share}.`
  );
}
