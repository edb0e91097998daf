/* The bar of a release form: what is made, what it costs, and what keeps it from being made. */

import { $, el } from "../../core/dom.js";
import { capitalized, count, number } from "../../core/format.js";
import { correctionOf, floorOf } from "../submit_bar.js";
import { messageOf } from "../../core/field_errors.js";
import { check, showProblem, valueOf, write } from "../number_field.js";

/** Why what is made is not to be made again. */
const AGAIN = "A second one is charged, too: whoever has both releases can average their noise.";

/** The largest level that fits into what is left; 0 for none. */
export const fittingLevel = (epsilon, { spent, cost, total }) =>
  cost > 0 && total !== null ? floorOf((epsilon * (total - spent)) / cost) : 0;

/**
 * What `createSubmitBar` shows. `chosen` are titles of releases, `isTouched` whether the user chose them; `text` is the
 * level of one, `budget` {spent, cost, total, unit, fits} the newest, null for none, `isCurrent` if it is of the form's
 * values; `invalid` inputs; `problem` is why there is no forecast; `use(epsilon)` sets the level, now `epsilon`; `page`
 * is where the limit is raised; `unusable` is what to do where no release is usable; `noun` what is made; `isMade`
 * whether one of `chosen`, or the usable one, is made already.
 */
export function summaryOf(form) {
  const { chosen, text, experiment, noun } = form;
  const many = chosen.length;
  const cost = experiment || !many ? 0 : form.isCurrent ? form.budget?.cost : null;
  const budget = form.budget && { ...form.budget, cost };
  const shown = {
    label: submitLabel(experiment, many, noun),
    names: chosen.join(", "),
    level: text && (many > 1 ? `${many} × ${text}` : text),
    budget,
  };
  if (form.invalid.length) return { ...shown, state: "invalid", note: correctionOf(form.invalid) };
  if (form.updating) return { ...shown, state: "updating", note: "Waiting for the forecast" };
  if (!many) return { ...shown, level: "", state: "blocked", ...unchosen(form, noun) };
  if (form.isUnsound && !experiment)
    return { ...shown, state: "blocked", note: "There is no guarantee: simulation only." };
  if (!budget || !form.isCurrent) return { ...shown, state: "ready", note: form.problem };
  if (experiment || budget.fits)
    return {
      ...shown,
      state: "ready",
      note: left(budget, experiment) + (form.isMade && !experiment ? ` ${AGAIN}` : ""),
    };
  return { ...shown, state: "blocked", ...overBudget(budget, form) };
}

const unchosen = ({ isTouched, isMade, unusable }, noun) =>
  isTouched
    ? { label: `No ${noun} chosen`, note: `Tick a ${noun} in the table.` }
    : { label: isMade ? "Made already" : `No usable ${noun}`, note: isMade ? AGAIN : unusable };

function overBudget(budget, { chosen, epsilon, use, page }) {
  const fitting = fittingLevel(epsilon, budget);
  const rest = number(Math.max(budget.total - budget.spent, 0));
  const actions = [...(fitting ? [`lower ε to ${number(fitting)}`] : []), ...(chosen.length > 1 ? ["untick one"] : [])];
  return {
    note: [
      el("strong", `! Needs ${number(budget.cost)}, ${rest} is left. `),
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

/** What the button of a release form does. @param {boolean} simulation @param {number} many @param {string} noun */
const submitLabel = (simulation, many, noun = "release") =>
  simulation ? `Run ${count(many, "simulation")}, not private` : `Create ${count(many, noun)}`;

/** The choice in `host`: {seed() -> number or null, experiment(), set(seed), fail(errors) -> the others, clear()}. */
export function createPurpose(host, { onChange }) {
  const input = $("#seed", host);
  const experiment = () => $("[name=purpose]:checked", host).value === "experiment";

  function show() {
    input.disabled = !experiment();
    $("[data-purpose-seed]", host).hidden = !experiment();
  }
  const clear = () => (experiment() ? check(input) : showProblem(input, ""));
  host.addEventListener("input", () => {
    show();
    clear();
    onChange();
  });
  show();
  return {
    experiment,
    /** The seed of an experiment, NaN where it is missing or refused; null for what is to be published. */
    seed: () => (experiment() ? (valueOf(input) ?? NaN) : null),
    set(seed) {
      $(`[value=${seed === null ? "publishable" : "experiment"}]`, host).checked = true;
      if (seed !== null) write(input, seed);
      show();
    },
    fail(errors) {
      const own = errors.filter(({ field }) => (field ?? "").split(".").at(-1) === "seed");
      if (own.length) showProblem(input, messageOf(own[0]));
      return errors.filter((one) => !own.includes(one));
    },
    clear,
  };
}
