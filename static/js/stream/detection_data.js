/* Detection of jumps and low signals: texts, rules and curves. No page is needed for this module. */

import { number } from "../core/format.js";

/** @type {Record<string, string>} */
const ABOUT = {
  jump: "A jump is a change by at least the threshold against so many timestamps before, up or down.",
  "low-signal": "A low signal is a timestamp of at least so many successive ones below the threshold.",
};
const JUDGED = " The uploaded counts are judged at this threshold, each release at every threshold.";
const MOST = 10_000;
const USUAL = 10;

/**
 * @typedef {{curve: any, positives: number, negatives: number}} Found
 * @typedef {{id: string, title: string, style: any, urls: Record<string, string>}} Release
 */

/** What is detected, in sentences. @param {string} event */
export const aboutText = (event) => ABOUT[event] + JUDGED;

/** The rule of how many timestamps an event takes, and the usual number of them. @param {number} timestamps */
export function lengthRule(timestamps) {
  const longest = Math.max(1, Math.min(MOST, timestamps - 1));
  return { rule: { minimum: 1, maximum: longest, whole: true, required: true }, value: Math.min(USUAL, longest) };
}

/** The area below a curve, or why there is none. @param {Pick<Found, "curve" | "positives">} found */
export function areaText({ curve, positives }) {
  if (curve) return number(curve.area, 3);
  return positives ? "every timestamp is such an event" : "no such event";
}

/** The curves of releases that have one, for a chart. @param {Release[]} releases @param {Found[]} found of each */
export const curvesOf = (releases, found) =>
  releases.flatMap(({ id, title, style }, i) => {
    const { curve } = found[i];
    return curve ? [{ id, name: title, ...style, x: curve.false_positive_rate, y: curve.true_positive_rate }] : [];
  });

/**
 * Errors that belong beside one of the fields, and all others.
 *
 * @param {ApiProblem[]} errors
 * @param {string[]} fields their names
 */
export function besideFields(errors, fields) {
  const isBeside = (/** @type {ApiProblem} */ { field }) => fields.includes(field ?? "");
  return {
    beside: /** @type {(ApiProblem & {field: string})[]} */ (errors.filter(isBeside)),
    others: errors.filter((one) => !isBeside(one)),
  };
}
