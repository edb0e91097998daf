/* Forms that make something by a request to the API and then open its page. */

import { ApiError } from "../core/api.js";
import { $ } from "../core/dom.js";
import { createFields } from "./form_fields.js";
import { keepForm } from "./kept_form.js";
import { refuseInvalid } from "./number_field.js";
import { focusProblem, showProblems } from "./problem_box.js";

/**
 * Send `form` by `send()`, which resolves with what was made, and keep what is typed. `groups()` are its fields (see
 * form_fields.js); `clear()` and `place(problem)`, which returns whether there is a place for it, are of all others.
 *
 * @param {HTMLFormElement} form
 * @param {{groups: () => any[], send: () => Promise<any>, clear?: () => void,
 *   place?: (problem: ApiProblem) => boolean}} options
 */
export function watchMaking(form, { groups, send, clear = () => {}, place = () => false }) {
  const [submit, problem] = [$("[data-submit]", form), $("[data-problem]")];
  const kept = keepForm(form);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    for (const group of groups()) group.clear();
    clear();
    if (refuseInvalid(form)) return;
    submit.disabled = true;
    try {
      const made = await send();
      kept.forget();
      location.assign(made.urls.page);
    } catch (error) {
      submit.disabled = false;
      if (!(error instanceof ApiError)) throw error;
      const rest = groups().reduce((errors, group) => group.fail(errors), error.errors);
      const left = rest.filter((/** @type {ApiProblem} */ one) => !place(one));
      showProblems(problem, left);
      focusProblem(form, problem);
    }
  });
  window.addEventListener("pageshow", () => (submit.disabled = false)); // also on the way back
}

/**
 * The parameters of the mechanism chosen in `select`, one of `mechanisms`. Values typed stay for the next mechanism
 * that has a field of that name. `changed(mechanism, fields)` after every change. The result returns the fields.
 *
 * @param {HTMLSelectElement} select
 * @param {any[]} mechanisms
 * @param {(mechanism: any, fields: any) => void} changed
 */
export function watchMechanism(select, mechanisms, changed) {
  let fields;
  /** @type {Record<string, unknown>} */
  let entered = {};

  function show() {
    const chosen = mechanisms.find(({ name }) => name === select.value);
    if (fields) entered = { ...entered, ...fields.all() };
    fields = createFields($("[data-parameters]"), chosen.fields, { onChange: () => changed(chosen, fields) });
    fields.set(Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== null)));
    $("[data-summary]").textContent = chosen.summary;
    changed(chosen, fields);
  }

  select.addEventListener("change", show);
  show();
  return () => fields;
}
