/* The noise of released counts beside the upload, in sentences. No page is needed for this module. */

import { number, whole } from "../core/format.js";

const SHRINK = "stream-shrink";

/**
 * What that noise is beside the average counts of the upload, and what to do where it is larger.
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
