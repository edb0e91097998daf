/* The table of an evaluation as values, lines and sentences; no page is needed for this module. */

import { number } from "../core/format.js";

/**
 * @typedef {{model: string, unit: string, epsilon: number, metric: string, value: number, low: number | null,
 *   high: number | null}} Row
 * @typedef {{title: string, mechanism: string, epsilon: number, unit: string, unusual: string[]}} Release
 * @typedef {{name: string, title: string}} Named
 */

const NEAREST = "checkin-nearest";

/** A share as tables show it: .062; "–" where there is none. @param {number | null | undefined} share */
export const shareText = (share) => {
  if (share === null || share === undefined) return "–";
  return share >= 0.9995 ? "1" : share.toFixed(3).slice(1);
};

/**
 * The rows of an evaluation: `value(model, metric, release)` at the level of a release, null where it was not evaluated
 * there or the release is of that model with other parameters; `lines(metric, unit)` over ε.
 *
 * @param {Row[]} rows
 */
export function evaluationOf(rows) {
  const of = (/** @type {string} */ metric, /** @type {string} */ unit) =>
    rows.filter((row) => row.metric === metric && row.unit === unit);
  return {
    /** @param {string} model @param {string} metric @param {Release} release */
    value(model, metric, { mechanism, unusual, epsilon, unit }) {
      if (model === mechanism && unusual.length) return null;
      const same = (/** @type {Row} */ row) => Math.abs(row.epsilon - epsilon) <= 1e-9 * epsilon;
      const found = of(metric, unit).find((row) => row.model === model && same(row));
      return found ? found.value : null;
    },
    /** @param {string} metric @param {string} unit */
    lines(metric, unit) {
      const own = of(metric, unit);
      return [...new Set(own.map(({ model }) => model))].map((id) => {
        const mine = own.filter(({ model }) => model === id).sort((a, b) => a.epsilon - b.epsilon);
        const column = (/** @type {keyof Row} */ name) => mine.map((row) => /** @type {any} */ (row[name]));
        return { id, x: column("epsilon"), y: column("value") };
      });
    },
  };
}

/** +.015, −.028 @param {number} difference */
export const signed = (difference) => `${difference < 0 ? "−" : "+"}${shareText(Math.abs(difference))}`;

const levelOf = (/** @type {Release} */ { epsilon, unit }) =>
  `ε = ${number(epsilon, 6)} per ${unit === "user" ? "user" : "check-in"}`;

/**
 * A release against the baselines: Popularity .285, −.162 against nearest cell.
 *
 * @param {ReturnType<typeof evaluationOf>} known
 * @param {Release} release
 * @param {{name: string}} measure
 * @param {Named[]} baselines
 */
export function comparisonText(known, release, measure, baselines) {
  const own = known.value(release.mechanism, measure.name, release);
  if (own === null && release.unusual.length)
    return `${release.title} was not evaluated: the evaluation has other values of ${release.unusual.join(", ")}.`;
  if (own === null) return `${release.title} was not evaluated at ${levelOf(release)}.`;
  const against = baselines
    .filter(({ name }) => name !== release.mechanism)
    .map(({ name, title }) => ({ title, value: known.value(name, measure.name, release) }))
    .flatMap(({ title, value }) => (value === null ? [] : [`${signed(own - value)} against ${title}`]));
  return [`${release.title} ${shareText(own)}`, ...against].join(" · ");
}

/**
 * That a release is worse than the public baseline, where it is; "" otherwise.
 *
 * @param {ReturnType<typeof evaluationOf>} known
 * @param {Release} release
 * @param {{name: string, short: string}} measure
 */
export function worseText(known, release, { name, short }) {
  const own = known.value(release.mechanism, name, release);
  const nearest = known.value(NEAREST, name, release);
  if (own === null || nearest === null || own >= nearest) return "";
  return (
    `${release.title} at ${levelOf(release)} is worse than the public baseline: the nearest cell, which reads no ` +
    `check-ins, has ${short} ${shareText(nearest)} against ${shareText(own)}.`
  );
}

/** The evaluation on the grid of a release; null where there is none. @param {any} page @param {any} release */
export function evaluationFor(page, { spec: { west, south, east, north, side } }) {
  const own = [west, south, east, north, side];
  return page.evaluations.find((/** @type {any} */ { grid }) => own.every((value, i) => value === grid[i])) ?? null;
}
