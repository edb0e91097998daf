/* The audits page: the form, progress and actions of the audit shown, the list. */

import { ApiError, post } from "../core/api.js";
import { watchDialogs } from "../components/dialogs.js";
import { $, data, el } from "../core/dom.js";
import { createFields } from "../components/form_fields.js";
import { watchJobActions } from "../components/job_actions.js";
import { keepForm } from "../components/kept_form.js";
import { refreshJobs } from "../components/jobs.js";
import { refuseInvalid } from "../components/number_field.js";
import { focusProblem, showProblems } from "../components/problem_box.js";
import { swapSoon, watchStates } from "../components/job_status.js";

const { url, list, audit, mechanisms, controls, trials } = data("page-data");
const form = $("[data-form]");
const mechanism = $("[data-mechanism]");
const alteration = $("[data-alteration]");
const problem = $("[data-problem]");
const submit = $("[data-submit]");
const refresh = swapSoon("audit", "audits");
const described = new Map([...mechanisms, ...controls].map((one) => [one.name, one]));
const isControl = (name) => controls.some((one) => one.name === name);
let typed = {}; // what was typed, for the next mechanism that has a field of that name
/** @type {any} */
let fields = null;

const option = ({ name, title }) => el("option", { value: name }, title);
mechanism.append(...mechanisms.map(option), el("optgroup", { label: "Controls" }, controls.map(option)));
const draws = createFields($("[data-trials]"), [trials], { onChange: () => {} });

function showFields() {
  const one = described.get(mechanism.value);
  if (fields) typed = { ...typed, ...fields.all() };
  fields = createFields($("[data-parameters]"), one.fields, { onChange: () => {} });
  fields.set(Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null)));
  $("[data-summary]").textContent = one.summary;
  $("[data-alteration-field]").hidden = isControl(one.name);
}

function fail(error) {
  if (!(error instanceof ApiError)) throw error;
  showProblems(problem, draws.fail(fields.fail(error.errors)));
  focusProblem(form, problem);
}

async function start(event) {
  event.preventDefault();
  problem.hidden = true;
  fields.clear();
  draws.clear();
  if (refuseInvalid(form)) return;
  submit.disabled = true;
  const name = isControl(mechanism.value) ? mechanism.value : `${alteration.value}${mechanism.value}`;
  try {
    const made = await post(url, { mechanism: { name, ...fields.values() }, ...draws.values() });
    kept.forget();
    location.assign(made.urls.page);
  } catch (error) {
    submit.disabled = false;
    fail(error);
  }
}

mechanism.addEventListener("change", showFields);
form.addEventListener("submit", start);
watchJobActions(() => {
  refreshJobs();
  return refresh();
});
watchDialogs((what, button) => (button.dataset.key === audit ? location.assign(list) : refresh()));
watchStates(refresh);
window.addEventListener("pageshow", () => (submit.disabled = false)); // also on the way back
showFields();
const kept = keepForm(form);
