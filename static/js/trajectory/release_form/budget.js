/* Levels and budgets of the release form of trajectories, within the radius of the form. */

import { metres, number } from "../../core/format.js";
import { within } from "../../core/level.js";
import { isGiven } from "../../components/number_field.js";

/**
 * "ε 1 / 200 m"; "" while one of both is missing.
 *
 * @param {{epsilon?: number | null, radius_m?: number | null}} level
 */
export const levelName = ({ epsilon = null, radius_m = null }) =>
  isGiven(epsilon) && isGiven(radius_m) ? `ε ${number(/** @type {number} */ (epsilon))} / ${metres(radius_m)}` : "";

/** The budget of the server's, in ε per km, at the radius of the form in ε; null while that is missing. */
export function budgetOf({ budget }, { radius_m }) {
  if (!isGiven(radius_m)) return null;
  const level = (perKm) => (perKm === null ? null : within(perKm, 1000, radius_m));
  const [spent, cost, total] = ["spent", "price", "total"].map((name) => level(budget[`${name}_per_km`]));
  return { spent, cost, total, unit: `ε per ${metres(radius_m)}`, fits: budget.fits };
}
