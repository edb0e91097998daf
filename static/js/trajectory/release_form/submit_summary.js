/* The bar of the release form: which releases, at which level, what they cost, and what keeps them from being made. */

import { el } from "../../core/dom.js";
import { capitalized, metres, number } from "../../core/format.js";
import { within } from "../../core/level.js";
import { isGiven } from "../../components/number_field.js";
import { floorOf } from "../../components/budget_shares.js";
import { correctionOf } from "../../components/submit_bar.js";
import { submitLabel } from "../../components/release_purpose.js";

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

/** The largest level that fits into what is left; 0 for none. */
export const fittingLevel = (epsilon, { spent, cost, total }) =>
  cost > 0 && total !== null ? floorOf((epsilon * (total - spent)) / cost) : 0;

/**
 * What `createSubmitBar` shows. `chosen` are titles of releases, `isTouched` whether the user chose them; `invalid`
 * inputs; `quote` the newest of the server's, `isCurrent` if it is of the form's values; `problem` is why there is no
 * forecast; `use(epsilon)` sets the level; `page` is where the limit is raised.
 */
export function summaryOf(form) {
  const { chosen, level, experiment, quote } = form;
  const [many, text] = [chosen.length, levelName(level)];
  const budget = isGiven(level.radius_m) ? budgetOf(quote, level, experiment, form.isCurrent || !many) : null;
  const shown = {
    label: submitLabel(experiment, many),
    names: chosen.join(", "),
    level: text && (many > 1 ? `${many} × ${text}` : text),
    budget,
  };
  if (form.invalid.length) return { ...shown, state: "invalid", note: correctionOf(form.invalid) };
  if (form.updating) return { ...shown, state: "updating", note: "Waiting for the forecast" };
  if (!many) return { ...shown, level: "", state: "blocked", ...(form.isTouched ? UNTICKED : UNUSABLE) };
  if (!budget || !form.isCurrent) return { ...shown, state: "ready", note: form.problem };
  if (experiment || quote.fits) return { ...shown, state: "ready", note: left(budget, experiment) };
  return { ...shown, state: "blocked", ...overBudget(budget, form) };
}

const UNTICKED = { label: "No release chosen", note: "Tick a release in the table." };
const UNUSABLE = { label: "No usable release", note: "Raise ε, lower the radius, or tick one all the same." };

function overBudget(budget, { chosen, level, use, page }) {
  const fitting = fittingLevel(level.epsilon, budget);
  const rest = number(Math.max(budget.total - budget.spent, 0));
  const actions = [...(fitting ? [`lower ε to ${number(fitting)}`] : []), ...(chosen.length > 1 ? ["untick one"] : [])];
  return {
    note: [
      el("strong", {}, `! Needs ${number(budget.cost)}, ${rest} is left. `),
      capitalized([...actions, ""].join(", ").replace(/, $/, actions.length > 1 ? ", or " : " or ")),
      el("a", { href: page }, actions.length ? "raise the limit" : "Raise the limit"),
      ".",
    ],
    suggestion: fitting ? { text: `Use ε ${number(fitting)}`, use: () => use(fitting) } : null,
  };
}

function left({ spent, cost, total }, experiment) {
  if (experiment) return "Not published: spends nothing.";
  return total === null ? "No limit is set." : `${number(Math.max(total - spent - cost, 0))} is left after it.`;
}
