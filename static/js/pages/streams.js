/* The list of live streams: the form that opens one, deletion of those that published nothing. */

import { ApiError, post } from "../core/api.js";
import { $, data, el } from "../core/dom.js";
import { messageOf } from "../core/field_errors.js";
import { number } from "../core/format.js";
import { idempotencyHeaders } from "../core/idempotency.js";
import { watchDialogs } from "../components/dialogs.js";
import { createFields } from "../components/form_fields.js";
import { keepForm } from "../components/kept_form.js";
import { swapSoon } from "../components/job_status.js";
import { isGiven, refuseInvalid, showProblem } from "../components/number_field.js";
import { focusProblem, showProblems } from "../components/problem_box.js";

const STEP = {
  name: "step",
  label: "Step",
  symbol: "",
  unit: "numbers or seconds",
  help: "What lies between two timestamps; another distance is refused. Empty: any later time is taken.",
  required: false,
  default: null,
  example: null,
  minimum: 1e-6,
  maximum: 1e9,
  whole: false,
  choices: [],
};
const { url, mechanisms } = data("page-data");
const form = $("[data-form]");
const mechanism = $("[data-mechanism]");
const submit = $("[data-submit]");
const problem = $("[data-problem]");
const refresh = swapSoon("streams");
/** @type {any} */
let fields = null;
/** @type {Record<string, unknown>} */
let entered = {}; // values for the next mechanism that has a field of that name

const step = createFields($("[data-step]"), [STEP], { onChange: () => {} });
const names = () =>
  $("[data-dimensions]")
    .value.split("\n")
    .map((/** @type {string} */ name) => name.trim())
    .filter(Boolean);

mechanism.append(...mechanisms.map((/** @type {any} */ { name, title }) => el("option", { value: name }, title)));

const chosen = () => mechanisms.find((/** @type {any} */ { name }) => name === mechanism.value);

function showFields() {
  const one = chosen();
  if (fields) entered = { ...entered, ...fields.all() };
  fields = createFields($("[data-parameters]"), one.fields, { onChange: showSentence });
  fields.set(Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== null)));
  $("[data-summary]").textContent = one.summary;
  showSentence();
}

/** The guarantee with the values of the form; the symbol stands for one that is missing or refused. */
function showSentence() {
  const { sentence, fields: described } = chosen();
  const values = fields.values();
  const shown = (/** @type {string} */ _, /** @type {string} */ name) =>
    isGiven(values[name])
      ? number(values[name], 6)
      : described.find((/** @type {{name: string}} */ field) => field.name === name).symbol;
  $("[data-statement]").textContent = sentence.replace(/\{(\w+)\}/g, shown);
}

function fail(/** @type {ApiError} */ error) {
  const rest = step.fail(fields.fail(error.errors)).filter((/** @type {ApiProblem} */ one) => {
    const input =
      one.field === "name" ? $("[data-name]") : one.field?.startsWith("dimensions") && $("[data-dimensions]");
    if (input) showProblem(input, messageOf(one));
    return !input;
  });
  showProblems(problem, rest);
  focusProblem(form, problem);
}

async function open(/** @type {Event} */ event) {
  event.preventDefault();
  problem.hidden = true;
  fields.clear();
  step.clear();
  for (const input of [$("[data-name]"), $("[data-dimensions]")]) showProblem(input, "");
  if (refuseInvalid(form)) return;
  submit.disabled = true;
  const body = {
    name: $("[data-name]").value,
    dimensions: names(),
    mechanism: { name: mechanism.value, ...fields.values() },
    ...step.values(),
  };
  try {
    const made = await post(url, body, { headers: idempotencyHeaders(body) });
    kept.forget();
    location.assign(made.urls.page);
  } catch (error) {
    submit.disabled = false;
    if (!(error instanceof ApiError)) throw error;
    fail(error);
  }
}

mechanism.addEventListener("change", showFields);
form.addEventListener("submit", open);
watchDialogs(refresh);
window.addEventListener("pageshow", () => (submit.disabled = false)); // also on the way back
showFields();
const kept = keepForm(form);
