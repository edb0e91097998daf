/* A quote for a release of counts or check-ins in sentences. No page is needed for this module. */

import { number, whole } from "../core/format.js";

const SHRINK = "stream-shrink";

/**
 * @typedef {{price: number, spent: number, after: number, total: number | null, fits: boolean, label: string}} Budget
 */

/**
 * What that noise is beside the average counts of the upload, and what to do where it is larger; of streams only.
 *
 * @param {{name: string, noise_sd: number}} promise
 * @param {number[]} averages of the dimensions
 */
export function noiseTexts({ name, noise_sd: noise }, averages) {
  if (!averages.length) return [];
  const below = averages.filter((average) => average < noise).length;
  const mean = averages.reduce((sum, one) => sum + one, 0) / averages.length;
  const scale = `The counts of the upload are ${number(mean)} on average, which is the mean absolute error of zeros.`;
  if (!below) return [`${scale} Every dimension’s average is above the noise.`];
  const which = averages.length === 1 ? "That is" : `The averages of ${counted(below, averages.length)} are`;
  const more = "A larger ε, a shorter window, longer steps of time or sums of dimensions bring counts above it.";
  const shrink =
    name === SHRINK ? "Such counts are published near zero." : "Stream shrink publishes such counts near zero.";
  return [`${scale} ${which} below the noise: a single noisy count shows little of them. ${more} ${shrink}`];
}

const counted = (/** @type {number} */ some, /** @type {number} */ all) =>
  some === all ? `all ${whole(all)} dimensions` : `${whole(some)} of ${whole(all)} dimensions`;

/** What the release is charged. @param {Budget} budget @param {boolean} simulation */
export function spendingText({ price, after, total, fits, label }, simulation) {
  if (simulation) return "A simulation is charged nothing.";
  const limit = total === null ? ". There is no limit." : ` of ${number(total)}.`;
  const charged = `Charges ε = ${number(price)} of ${label}; ε = ${number(after)} would be spent${limit}`;
  return `${charged}${fits ? "" : " The budget does not suffice."}`;
}

/**
 * Whether the release can be made, and what is left after it or missing.
 *
 * @param {{publishable: boolean}} promise
 * @param {Budget} budget
 * @param {boolean} simulation
 */
export function statusOf({ publishable }, { price, spent, after, total, fits }, simulation) {
  if (simulation) return { state: "ready", note: "Not published: spends nothing." };
  if (!publishable) return { state: "blocked", note: "Such a release is not publishable." };
  if (fits)
    return { state: "ready", note: total === null ? "No limit is set." : `${number(total - after)} is left after it.` };
  const rest = number(Math.max((total ?? 0) - spent, 0));
  return { state: "blocked", note: `Needs ${number(price)}, ${rest} is left. Lower ε or raise the limit.` };
}
