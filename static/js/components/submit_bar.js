/* The bar below a long form: what is sent in one line, what it costs, and the button, always in sight. */

import { $, el } from "../core/dom.js";
import { quantity } from "../core/elements.js";
import { number } from "../core/format.js";
import { invalidIn } from "./number_field.js";

const UPDATING = "Updating…";

/** The label of an input, without its unit. */
export function labelOf(input) {
  const label = document.querySelector(`label[for="${input.id}"]`)?.textContent ?? input.getAttribute("aria-label");
  return (label ?? "a field").split(",")[0].trim();
}

/** "Correct Level ε and Radius r": each name leads to its field. */
export function correctionOf(inputs) {
  const names = inputs.map((input) => el("button.link", { onclick: () => input.focus() }, labelOf(input)));
  return ["Correct ", names.flatMap((one, i) => (i ? [i === names.length - 1 ? " and " : ", ", one] : [one])), "."];
}

function legend({ spent, cost, total, unit }) {
  const { left, over } = budgetShares({ spent, cost, total });
  const part = (name, ...text) => el("span", { dataset: { part: name } }, text);
  const amount = (name, value) => quantity(`budget_${name}`, value === null ? "–" : number(value));
  return [
    part("spent", "Spent ", amount("spent", spent)),
    part("cost", "This ", amount("cost", cost)),
    over > 0 && part("over", amount("over", over), " over"),
    over === 0 && left !== null && part("left", "Left ", amount("left", left)),
    el("span", total === null ? `no limit · ${unit}` : `of ${number(total)} · ${unit}`),
  ];
}

/**
 * The bar in `form`. Returns {show({state, label, names, level, note, budget, suggestion})}.
 *
 * `state` is "ready", "invalid" (pressed, the button leads to the first wrong field), "updating" or "blocked"; `names`
 * and `level` are the line of what is sent, `note` nodes or text; `budget` = {spent, cost, total, unit} or null for
 * none, `cost` null while it is unknown; `suggestion` = {text, use()}.
 */
export function createSubmitBar(form) {
  const bar = $("[data-submit-bar]", form);
  const submit = $("[type=submit]", bar);
  const part = (name) => $(`[data-bar-${name}]`, bar);
  let use = () => {};
  part("suggestion").addEventListener("click", () => use());

  /** @param {Record<string, any>} shown */
  function show({ state, label, names = "", level = "", note = "", budget = null, suggestion = null }) {
    const isOver = budget !== null && budgetShares(budget).over > 0;
    bar.classList.toggle("submit-bar--over", isOver && state === "blocked");
    bar.classList.toggle("submit-bar--invalid", state === "invalid");
    submit.disabled = state === "blocked" || state === "updating";
    submit.classList.toggle("button--primary", state === "ready");
    submit.textContent = state === "updating" ? UPDATING : label;
    part("names").textContent = names;
    part("level").textContent = level;
    part("note").replaceChildren(...[note].flat(Infinity));
    part("budget").hidden = budget === null;
    if (budget) {
      const shares = budgetShares(budget);
      for (const name of ["spent", "cost"])
        $(`[data-part=${name}]`, part("meter")).style.setProperty("--share", `${100 * shares[name]}%`);
      part("meter").hidden = budget.total === null;
      part("legend").replaceChildren(...legend(budget).filter(Boolean));
    }
    part("suggestion").hidden = suggestion === null;
    part("suggestion").textContent = suggestion?.text ?? "";
    use = suggestion?.use ?? (() => {});
  }
  return { show, invalid: () => invalidIn(form) };
}

/**
 * What a budget is spent on, as shares of it: {spent, cost} as drawn, {left, over} as amounts. Without a limit the
 * shares are 0 and nothing is left or over.
 *
 * @param {{spent: number, cost: number | null, total: number | null}} budget
 */
export function budgetShares({ spent, cost, total }) {
  if (total === null) return { spent: 0, cost: 0, left: null, over: 0 };
  const drawn = total > 0 ? Math.min(spent / total, 1) : 1;
  const known = cost ?? 0;
  const rest = total - spent - known;
  const isOver = rest < -1e-9 * Math.max(total, 1); // sums of levels are not exact
  return {
    spent: drawn,
    cost: total > 0 ? Math.min(known / total, 1 - drawn) : 0,
    left: Math.max(rest, 0),
    over: isOver ? -rest : 0,
  };
}

/** The largest number of three digits that is at most `value`; 0 for none. @param {number} value */
export function floorOf(value) {
  if (!(value > 0) || !Number.isFinite(value)) return 0;
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  return Number((Math.floor(value / unit + 1e-9) * unit).toPrecision(3));
}
