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
