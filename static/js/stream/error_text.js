/* Errors of count streams as text, and the answer of their comparison. */

import { answerOf, figure, showAnswer } from "../components/answer_card.js";
import { inColumn, number, whole } from "../core/format.js";

/** An error in counts: 27, 1,262, 3.5. @param {number} value */
export const counts = (value) => (Math.abs(value) < 10 ? inColumn(value, 2) : whole(value));

/** A relative error of three decimals: .091, 1.173. @param {number} value */
export const relative = (value) => (value < 100 ? value.toFixed(3).replace(/^0/, "") : number(value));

/** Show which of the releases of the `page` answers: as measured, beside publishing zeros. @param {any} page */
export function showBest({ releases, answer, columns, zeros, form }) {
  const best = answer && releases.find((/** @type {any} */ { id }) => id === answer.id);
  if (!best) return showAnswer({ ...answerOf(releases[0], 0), verdict: null, figures: ["errors are not known"] }, form);
  const { id, verdict } = best;
  const [{ name: key }] = columns;
  const figures = [
    ...["half of the counts within ", figure(`typical_error:${id}`, counts(answer.typical_error))],
    ...[" of the truth, 95\u202f% within ", figure(`p95_error:${id}`, counts(answer.p95_error))],
    ...["; ARE ", figure(`are:${id}`, relative(best.figures[key])), `, zeros ${relative(zeros[key])}`],
  ];
  return showAnswer({ ...answerOf(best, answer.of), verdict, figures }, form);
}
