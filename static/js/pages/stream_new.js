/* The form that opens a live stream. */

import { idempotencyHeaders, post } from "../core/api.js";
import { $, data, el } from "../core/dom.js";
import { messageOf } from "../core/field_errors.js";
import { number } from "../core/format.js";
import { createFields } from "../components/form_fields.js";
import { isGiven, showProblem } from "../components/number_field.js";
import { watchMaking, watchMechanism } from "../components/making_form.js";

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
const mechanism = $("[data-mechanism]");
const [name, dimensions] = [$("[data-name]"), $("[data-dimensions]")];

const step = createFields($("[data-step]"), [STEP], { onChange: () => {} });
const option = (one) => el("option", { value: one.name }, one.title);
mechanism.append(...mechanisms.map(option));
const parameters = watchMechanism(mechanism, mechanisms, showSentence);

/** The guarantee with the values of the form; the symbol stands for one that is missing or refused. */
function showSentence({ sentence, fields: described }, fields) {
  const values = fields.values();
  const shown = (/** @type {string} */ _, /** @type {string} */ key) =>
    isGiven(values[key])
      ? number(values[key], 6)
      : described.find((/** @type {{name: string}} */ field) => field.name === key).symbol;
  $("[data-statement]").textContent = sentence.replace(/\{(\w+)\}/g, shown);
}

/** Show a problem at the field it is about; whether there is one. */
function place(/** @type {ApiProblem} */ problem) {
  const input = problem.field === "name" ? name : problem.field?.startsWith("dimensions") && dimensions;
  if (input) showProblem(input, messageOf(problem));
  return Boolean(input);
}

function send() {
  const lines = dimensions.value.split("\n").map((/** @type {string} */ line) => line.trim());
  const body = {
    name: name.value,
    dimensions: lines.filter(Boolean),
    mechanism: { name: mechanism.value, ...parameters().values() },
    ...step.values(),
  };
  return post(url, body, { headers: idempotencyHeaders(body) });
}

watchMaking($("[data-form]"), {
  groups: () => [parameters(), step],
  send,
  clear: () => [name, dimensions].forEach((input) => showProblem(input, "")),
  place,
});
