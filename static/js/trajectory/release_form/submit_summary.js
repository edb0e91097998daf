/* The bar of the release form of trajectories: levels within the radius of the form. */

import { metres, number } from "../../core/format.js";
import { within } from "../../core/level.js";
import { isGiven } from "../../components/number_field.js";
import * as shared from "../../components/release_form/submit_summary.js";

const UNUSABLE = "Raise ε, lower the radius, or tick one all the same.";

/**
 * "ε 1 / 200 m"; "" while one of both is missing.
 *
 * @param {{epsilon?: number | null, radius_m?: number | null}} level
 */
export const levelName = ({ epsilon = null, radius_m = null }) =>
  isGiven(epsilon) && isGiven(radius_m) ? `ε ${number(/** @type {number} */ (epsilon))} / ${metres(radius_m)}` : "";

/**
 * The budget at the radius of the form, in ε; `quote` is the server's, in ε per km. The cost is null if it is of other
 * values than the form's.
 */
export function budgetOf(quote, { radius_m }, experiment, isCurrent = true) {
  const level = (perKm) => within(perKm, 1000, radius_m);
  const cost = isCurrent ? level(quote.price_per_km) : null;
  return {
    spent: level(quote.spent_per_km),
    cost: experiment ? 0 : cost,
    total: quote.total_per_km === null ? null : level(quote.total_per_km),
    unit: `ε per ${metres(radius_m)}`,
  };
}

/** What the bar shows of `form`, which has a `level` and the newest `quote` of the server beside what the shared
 * summary takes.
 */
export function summaryOf(form) {
  const { level, quote, experiment } = form;
  const isCurrent = form.isCurrent || !form.chosen.length;
  return shared.summaryOf({
    ...form,
    ...{ text: levelName(level), epsilon: level.epsilon, fits: quote.fits, unusable: UNUSABLE },
    budget: isGiven(level.radius_m) ? budgetOf(quote, level, experiment, isCurrent) : null,
  });
}
