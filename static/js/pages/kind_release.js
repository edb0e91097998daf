/* The release form of count streams and check-ins: one mechanism with its parameters, its promise and its price. */

import { ApiError, post } from "../core/api.js";
import { $, $$, announce, data, el } from "../core/dom.js";
import { sentenceOf } from "../core/field_errors.js";
import { number } from "../core/format.js";
import { idempotencyHeaders } from "../core/idempotency.js";
import { createFields } from "../components/form_fields.js";
import { invalidIn, isGiven, refuseInvalid } from "../components/number_field.js";
import { createPurpose, showPurpose } from "../trajectory/release_form/release_purpose.js";

const WAIT_MS = 250; // after the last key before a quote is requested
const page = data("page-data");
const form = $("[data-form]");
const submit = $("[data-submit]");
const problem = $("[data-problem]");
/** @type {any} */
let fields = null;
/** @type {Record<string, unknown>} */
let entered = {}; // values for the next mechanism that has a field of that name
let timer = 0;
let latest = 0;

const chosen = () =>
  page.mechanisms.find((/** @type {{name: string}} */ { name }) => name === $("[name=mechanism]:checked").value);
const description = () => ({ name: chosen().name, ...fields.values() });
const complete = () => Object.values(fields.values()).every(isGiven) && !invalidIn($("[data-parameters]")).length;
const purpose = createPurpose($("[data-purpose]"), { onChange: changePurpose });

function changePurpose() {
  showPurpose(purpose.experiment(), 1);
  if (fields) schedule();
}

function showFields() {
  if (fields) entered = { ...entered, ...fields.all() };
  fields = createFields($("[data-parameters]"), chosen().fields, { onChange: schedule });
  fields.set(Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== null)));
  schedule();
}

function schedule() {
  window.clearTimeout(timer);
  submit.disabled = !complete();
  timer = window.setTimeout(quote, WAIT_MS);
}

async function quote() {
  const turn = (latest += 1);
  if (!complete()) {
    $("[data-promise]").replaceChildren(
      el("p", { class: "muted" }, "A value is missing or invalid: see the marked fields."),
    );
    return;
  }
  try {
    const found = await post(page.urls.quote, { dataset: page.dataset, mechanisms: [description()] });
    if (turn === latest) showQuote(found.mechanisms[0], found.budgets[0]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (turn === latest) refuse(error);
  }
  form.dataset.ready = "all";
}

function showQuote(/** @type {any} */ promise, /** @type {any} */ budget) {
  problem.hidden = true;
  const simulation = purpose.experiment();
  const list = (/** @type {string} */ title, /** @type {string[]} */ texts) =>
    texts.length > 0 && [
      el("h3", {}, title),
      el(
        "ul",
        { class: "small" },
        texts.map((text) => el("li", {}, text)),
      ),
    ];
  const least = promise.noise_varies ? "at least " : "";
  const noise = `Standard deviation of the noise of one newly sampled count: ${least}${number(promise.noise_sd)}.`;
  $("[data-promise]").replaceChildren(
    ...[
      el("p", {}, noise),
      !simulation && [el("h3", {}, "Guarantee"), el("p", {}, promise.statement)],
      !simulation && list("Assumes", promise.assumptions),
      !simulation && list("Does not cover", promise.caveats),
    ]
      .flat(2)
      .filter((/** @type {any} */ node) => node instanceof Node),
  );
  $("[data-spending]").textContent = simulation
    ? "A simulation is charged nothing."
    : `Charges ε = ${number(budget.price)} of ${budget.label}; ε = ${number(budget.after)} would be spent${
        budget.total === null ? ". There is no limit." : ` of ${number(budget.total)}.`
      }${budget.fits ? "" : " The budget does not suffice."}`;
  const bar = $("[data-budget]");
  bar.hidden = budget.total === null;
  bar.max = budget.total ?? 1;
  bar.value = Math.min(simulation ? budget.spent : budget.after, bar.max);
  submit.disabled = !simulation && !(budget.fits && promise.publishable);
}

function refuse(/** @type {ApiError} */ error) {
  const rest = purpose.fail(fields.fail(error.errors ?? [error]));
  const texts = rest.map(sentenceOf);
  problem.hidden = !texts.length;
  problem.replaceChildren(...texts.map((/** @type {string} */ text) => el("p", {}, text)));
  if (texts.length) announce(texts.join(" "));
}

async function send(/** @type {Event} */ event) {
  event.preventDefault();
  if (refuseInvalid(form)) return;
  submit.disabled = true;
  problem.hidden = true;
  const seed = purpose.seed();
  const body = { dataset: page.dataset, mechanism: description(), ...(seed !== null && { seed }) };
  try {
    const made = await post(page.urls.releases, body, { headers: idempotencyHeaders(body) });
    location.assign(`${page.urls.compare}?release=${made.id}`);
  } catch (error) {
    submit.disabled = false;
    if (!(error instanceof ApiError)) throw error;
    refuse(error);
    /** @type {HTMLElement | null} */ ($("[aria-invalid=true]", form) ?? problem)?.focus();
  }
}

for (const radio of $$("[name=mechanism]")) radio.addEventListener("change", showFields);
form.addEventListener("submit", send);
window.addEventListener("pageshow", () => schedule()); // also on the way back
changePurpose();
showFields();
