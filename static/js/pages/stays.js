/* The form that makes check-ins of the stays of trajectories. */

import { ApiError, post } from "../core/api.js";
import { $, data } from "../core/dom.js";
import { createFields } from "../components/form_fields.js";
import { keepForm } from "../components/kept_form.js";
import { refuseInvalid } from "../components/number_field.js";
import { focusProblem, showProblems } from "../components/problem_box.js";

const page = data("page-data");
const form = $("[data-form]");
const submit = $("[data-submit]");
const problem = $("[data-problem]");
const fields = createFields($("[data-fields]"), page.fields, { onChange: () => {} });

async function send(/** @type {Event} */ event) {
  event.preventDefault();
  if (refuseInvalid(form)) return;
  submit.disabled = true;
  showProblems(problem, []);
  try {
    const made = await post(page.url, fields.values());
    kept.forget();
    location.assign(made.urls.page);
  } catch (error) {
    submit.disabled = false;
    if (!(error instanceof ApiError)) throw error;
    showProblems(problem, fields.fail(error.errors));
    focusProblem(form, problem);
  }
}

form.hidden = false; // its fields were made above: nothing moves once it is seen
form.dataset.ready = "all";
const kept = keepForm(form);
form.addEventListener("submit", send);
window.addEventListener("pageshow", () => (submit.disabled = false)); // also on the way back
