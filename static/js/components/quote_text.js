/* A quote for a release in sentences. No page is needed for this module. */

import { number } from "../core/format.js";

/**
 * @typedef {{price: number, spent: number, after: number, total: number | null, fits: boolean, label: string}} Budget
 */

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
