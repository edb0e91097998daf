/* Levels of ε within a radius, stated within another one. No page is needed for this module. */

import { metres, number } from "./format.js";

/**
 * The level within `referenceM` metres of a level `epsilon` within `radiusM` metres, as in
 * privacy_engine/analysis/reference_radius.py.
 *
 * @param {number} epsilon
 * @param {number} radiusM
 * @param {number} referenceM
 */
export const within = (epsilon, radiusM, referenceM) => epsilon * (referenceM / radiusM);

/** "Skip" and "ε 1 / 200 m" of "Skip · ε 1 / 200 m"; the level may be missing. @param {string} title */
export const titleParts = (title) => title.split(/ · (?=ε )/);

const OWN_LEVEL = / · ε .*?(?= \(\d+\)$|$)/; // in a title such as "Skip · ε 1 / 200 m (2)"

/**
 * The name of a release on an axis of levels within `referenceM`: where its own radius is another one, with its level
 * there instead of its own.
 *
 * @param {string} title
 * @param {{epsilon: number, radius_m: number}} mechanism
 * @param {number} referenceM
 */
export const markedTitle = (title, { epsilon, radius_m: radiusM }, referenceM) =>
  radiusM === referenceM ? title : `${title.replace(OWN_LEVEL, "")} · ${levelText(epsilon, radiusM, referenceM)}`;

/**
 * "ε 2 within 200 m (set as 0.01 within 1 m)"; where the radius is the reference one, "ε 2 within 200 m".
 *
 * @param {number} epsilon
 * @param {number} radiusM
 * @param {number} referenceM
 */
export function levelText(epsilon, radiusM, referenceM) {
  const stated = `ε ${number(within(epsilon, radiusM, referenceM))} within ${metres(referenceM)}`;
  return radiusM === referenceM ? stated : `${stated} (set as ${number(epsilon)} within ${metres(radiusM)})`;
}
