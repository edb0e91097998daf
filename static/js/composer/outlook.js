/* What a mechanism's noise will mean in metres, before anything is drawn. Closed form: no raw data needed. */

import { metres, number, percent, whole } from "../dom.js";

const HALF = 1.6783469900166605; // quantiles of planar Laplace noise, times ε per metre
const MOST = 4.743864518390577;

const range = ([low, high], text) => (high / low < 1.005 ? text(high) : `${text(low)} to ${text(high)}`);

/** A share of ε in words: ε, ε/408, 4.5 % of ε. */
function shareText(share) {
  const parts = 1 / share;
  if (Math.abs(parts - 1) < 1e-9) return "ε";
  return Math.abs(parts - Math.round(parts)) < 1e-6 * parts ? `ε/${whole(parts)}` : `${percent(share, 2)} of ε`;
}

function within(shares, quantile, { epsilon, radius_m }) {
  const radius = (share) => (quantile * radius_m) / (epsilon * share);
  return range([radius(shares[1]), radius(shares[0])], metres);
}

function sentence(what, shares, level) {
  if (!shares) return "";
  if (shares[1] === 0) return `${what}: nothing is drawn, an earlier release is repeated.`;
  if (shares[0] === 0) return `${what}: some are drawn, others repeat an earlier release.`;
  return `${what}, ${range(shares, shareText)}: half fall within ${within(shares, HALF, level)} of the truth, 95\u202f% within ${within(shares, MOST, level)}.`;
}

/** Sentences about one mechanism; `share` = {landmark: [least, greatest], regular: …} of ε, null where it varies. */
export function expectation(mechanism, share, level) {
  if (!share) return [`How much each event gets depends on the run or on its own parameters: ${mechanism.summary.charAt(0).toLowerCase()}${mechanism.summary.slice(1)}`];
  const same = share.landmark && share.regular && String(share.landmark) === String(share.regular);
  if (same) return [sentence("Every event", share.regular, level)];
  return [sentence("Landmarks", share.landmark, level), sentence("Other events", share.regular, level)].filter(Boolean);
}

/** Radius that holds 95 % of the best-placed event's releases; null where it varies. */
export function bestRadius(share, { epsilon, radius_m }) {
  const most = share && Math.max(share.landmark?.[1] ?? 0, share.regular?.[1] ?? 0);
  return most ? (MOST * radius_m) / (epsilon * most) : null;
}

/** What is extreme about a level for a dataset of this size; nothing for most. */
export function warnings({ epsilon, radius_m }, radii, extent_m) {
  const found = [];
  const known = radii.filter((radius) => radius !== null);
  if (epsilon > 10) found.push(`ε = ${number(epsilon)} is hardly a promise: odds may change by a factor of e to the ${number(epsilon)}.`);
  if (known.length && Math.max(...known) < 10) found.push(`95\u202f% of the releases fall within ${metres(Math.max(...known))} of the truth: that is GPS noise, an address stays an address.`);
  if (known.length && extent_m > 0 && Math.min(...known) > extent_m) {
    found.push(`The noise reaches beyond the whole dataset, which is ${metres(extent_m)} across: little will be left to see.`);
  }
  if (radius_m > 100_000) found.push(`A radius of ${metres(radius_m)} makes whole countries alike.`);
  return found;
}
