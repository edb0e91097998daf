/* A release form that needs the upload alone: one mechanism with its parameters, its promise and its price. */

import { ApiError, post } from "../core/api.js";
import { $, $$, data, el } from "../core/dom.js";
import { list } from "../core/elements.js";
import { number } from "../core/format.js";
import { idempotencyHeaders } from "../core/idempotency.js";
import { createFields } from "./form_fields.js";
import { keepForm } from "./kept_form.js";
import { isGiven, refuseInvalid } from "./number_field.js";
import { focusProblem, showProblems } from "./problem_box.js";
import { spendingText, statusOf } from "./quote_text.js";
import { createSubmitBar, correctionOf } from "./submit_bar.js";
import { createPurpose, showPurpose, submitLabel } from "./release_purpose.js";

const WAIT_MS = 250; // after the last key before a quote is requested
/**
 * What a kind of data adds. `apart` are fields with a place of their own: those of these `names` are in `host`, made of
 * what `field` returns, and `changed(values)` is called when they change. `beside` is sent with each request, `textsOf`
 * are sentences on the noise.
 *
 * @typedef {{
 *   apart?: {names: string[], host: HTMLElement, field: (field: any) => any, changed: (values: any) => void},
 *   beside?: () => object,
 *   textsOf?: (promise: any) => string[],
 * }} Added
 */
const page = data("page-data");
const form = $("[data-form]");
const bar = createSubmitBar(form);
const problem = $("[data-problem]");
/** @type {any[]} */
let groups = []; // the parameters, and those with a place of their own
/** @type {Added} */
let added = {};
/** @type {{forget: () => void}} */
let kept;
/** @type {Record<string, unknown>} */
let entered = {}; // values for the next mechanism that has a field of that name
let timer = 0;
let latest = 0;
/** @type {any} */
let budget = null; // of the newest quote
/** @type {{state: string, note: string}} */
let status = { state: "updating", note: "" };

const chosen = () =>
  page.mechanisms.find((/** @type {{name: string}} */ { name }) => name === $("[name=mechanism]:checked").value);
const values = () => Object.assign({}, ...groups.map((group) => group.values()));
const beside = () => added.beside?.() ?? {};
const description = () => ({ name: chosen().name, ...values() });
const complete = () => Object.values(values()).every(isGiven) && !bar.invalid().length;
const purpose = createPurpose($("[data-purpose]"), { onChange: changePurpose });

function changePurpose() {
  showPurpose(purpose.experiment());
  if (groups.length) schedule();
}

function showFields() {
  entered = Object.assign({}, entered, ...groups.map((group) => group.all()));
  const given = Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== null));
  const { apart } = added;
  const isApart = (/** @type {{name: string}} */ { name }) => apart !== undefined && apart.names.includes(name);
  const { fields } = chosen();
  const parameters = fields.filter((/** @type {any} */ field) => !isApart(field));
  groups = [createFields($("[data-parameters]"), parameters, { onChange: schedule })];
  if (apart) groups.push(createFields(apart.host, fields.filter(isApart).map(apart.field), { onChange: changeApart }));
  for (const group of groups) group.set(given);
  changeApart();
}

function changeApart() {
  added.apart?.changed(values());
  schedule();
}

/** Put values into the fields of these names. */
export function take(/** @type {Record<string, number>} */ given) {
  for (const group of groups) {
    group.set(given);
    group.clear();
  }
  schedule();
}

/** Request a quote after a moment. */
export function schedule() {
  window.clearTimeout(timer);
  latest += 1; // what is still on its way is of other values
  $("[data-side]").dataset.stale = "";
  showBar({ state: "updating", note: "Waiting for the forecast" });
  timer = window.setTimeout(quote, WAIT_MS);
}

/** The bar below, in this state unless a value is wrong. */
function showBar(/** @type {{state: string, note: string}} */ now) {
  status = now;
  const { epsilon = null } = values();
  const invalid = bar.invalid();
  bar.show({
    label: submitLabel(purpose.experiment(), 1),
    names: chosen().title,
    level: isGiven(epsilon) ? `ε ${number(epsilon)}` : "",
    budget: budget && {
      spent: budget.spent,
      cost: now.state === "updating" || invalid.length ? null : purpose.experiment() ? 0 : budget.price,
      total: budget.total,
      unit: `ε of ${budget.label}`,
    },
    ...now,
    ...(invalid.length && { state: "invalid", note: correctionOf(invalid) }),
  });
}

async function quote() {
  const turn = (latest += 1);
  if (!complete()) {
    $("[data-spending]").textContent = "A value is missing or invalid: see the marked fields.";
    return;
  }
  try {
    const found = await post(page.urls.quote, { dataset: page.dataset, mechanisms: [description()], ...beside() });
    if (turn === latest) showQuote(found.mechanisms[0], found.budgets[0]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (turn === latest) refuseQuote(error);
  }
  form.dataset.ready = "all";
}

function showQuote(/** @type {any} */ promise, /** @type {any} */ price) {
  problem.hidden = true;
  delete $("[data-side]").dataset.stale;
  budget = price;
  const simulation = purpose.experiment();
  const titled = (/** @type {string} */ title, /** @type {string[]} */ texts) =>
    texts.length > 0 && [el("h3", {}, title), list({ class: "small" }, texts)];
  const least = promise.noise_varies ? "at least " : "";
  const noise = `Standard deviation of the noise of one newly sampled count: ${least}${number(promise.noise_sd)}.`;
  $("[data-promise]").replaceChildren(
    ...[
      el("p", {}, noise),
      promise.public_baseline && el("p", { class: "notice notice--accent" }, promise.public_baseline),
      promise.better_elsewhere && el("p", {}, promise.better_elsewhere),
      ...(added.textsOf?.(promise) ?? []).map((text) => el("p", {}, text)),
      !simulation && [el("h3", {}, "Guarantee"), el("p", {}, promise.statement)],
      !simulation && titled("Assumes", promise.assumptions),
      !simulation && titled("Does not cover", [...promise.not_covered.map(sentence), ...promise.caveats]),
    ]
      .flat(2)
      .filter((/** @type {any} */ node) => node instanceof Node),
  );
  $("[data-spending]").textContent = spendingText(budget, simulation);
  showBar(statusOf(promise, budget, simulation));
}

const sentence = (/** @type {string} */ phrase) => `${phrase[0].toUpperCase()}${phrase.slice(1)}.`;

/** Values that the server refuses cannot be sent; without an answer it decides when they are. */
function refuseQuote(/** @type {ApiError} */ error) {
  const rest = refuse(error);
  const isRefused = error.status >= 400 && error.status < 500;
  const note = rest.length ? "Refused: see the reason above." : "A value is refused: see the marked fields.";
  showBar(isRefused ? { state: "blocked", note } : { state: "ready", note: "There is no forecast." });
}

/** Show what was refused; returns what no field shows. */
function refuse(/** @type {ApiError} */ error) {
  const rest = purpose.fail(groups.reduce((left, group) => group.fail(left), error.errors));
  showProblems(problem, rest);
  return rest;
}

async function send(/** @type {Event} */ event) {
  event.preventDefault();
  if (refuseInvalid(form)) return;
  const before = status;
  showBar({ state: "blocked", note: "Submitting …" });
  problem.hidden = true;
  const seed = purpose.seed();
  const body = { dataset: page.dataset, mechanism: description(), ...beside(), ...(seed !== null && { seed }) };
  try {
    const made = await post(page.urls.releases, body, { headers: idempotencyHeaders(body) });
    kept.forget();
    location.assign(`${page.urls.compare}?release=${made.id}`);
  } catch (error) {
    showBar(before);
    if (!(error instanceof ApiError)) throw error;
    refuse(error);
    focusProblem(form, problem);
  }
}

/** Show the form of templates/releases/common/quoted_new.html. */
export function showForm(/** @type {Added} */ ofKind) {
  added = ofKind;
  for (const radio of $$("[name=mechanism]")) radio.addEventListener("change", showFields);
  form.addEventListener("submit", send);
  window.addEventListener("pageshow", () => schedule()); // also on the way back
  changePurpose();
  showFields();
  kept = keepForm(form);
  form.dataset.fields = "shown"; // what is below them does not move any more
}
