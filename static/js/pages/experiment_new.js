/* The form of an experiment: what is swept, on what, measured how; begun by a preset, a copy, a dataset or as usual. */

import { createFolds, keepExperiment } from "../components/experiment_form/kept_experiment.js";
import { createMeasures } from "../components/experiment_form/measures.js";
import { barTexts, planned } from "../components/experiment_form/plan.js";
import { createText } from "../components/experiment_form/spec_text.js";
import { createForecast } from "../components/forecast_request.js";
import { createFields } from "../components/form_fields.js";
import { invalidIn, isGiven, refuseInvalid } from "../components/number_field.js";
import { showTexts } from "../components/problem_box.js";
import { get, post } from "../core/api.js";
import { $, data, el } from "../core/dom.js";
import { messageOf, sentenceOf } from "../core/field_errors.js";

const page = data("page-data");
const common = $("[data-common-noise]");
const folds = createFolds($("[data-form]"));
const host = (/** @type {string} */ name) => $(`[data-${name}]`);
let kind, parts, text, forecast, lineStyles, kept;
let filling = false;
/** @type {any} */
let given = null; // a spec as it was given, sent as it is until the form is changed
let byHand = false; // the text holds what the form cannot
let broken = false; // the text is no spec
let typing = false; // the text is what was changed last
/** @type {any} */
let held = null; // what the form held when this was requested
let title = ""; // its name where none is given

// Form and spec ------------------------------------------------------------------------------

function read() {
  const { repetitions, seed } = parts.runs.values();
  const [own, metrics] = [kind.read(), parts.measures.values()];
  return own && [metrics, repetitions, seed].every(isGiven)
    ? { ...own, metrics, repetitions, seed, common: common.checked }
    : null;
}

/** Set values without taking them as changes of the user. @param {() => void} set */
function quietly(set) {
  const isWithin = filling;
  filling = true;
  set();
  filling = isWithin;
}

const fill = (form) =>
  quietly(() => {
    kind.fill(form);
    parts.measures.set(form.metrics);
    parts.runs.set(form);
    common.checked = form.common;
  });

/** Take a spec as it is: into the form if that can hold it, otherwise as text alone. */
function take(spec, preset = null) {
  given = kind.taken(spec, preset);
  const form = kind.toForm(given);
  showByHand(!form);
  if (form) fill(form);
}

function showByHand(/** @type {boolean} */ on) {
  byHand = on;
  host("formed").hidden = on;
  host("by-hand").hidden = !on;
  if (on) host("json").open = true;
}

function toTheForm() {
  kind.discardText();
  showByHand(false);
  changed();
}

/** The form was changed: what was given is no longer what is requested. */
function changed() {
  if (filling || !parts) return;
  [given, broken, title] = [null, false, ""];
  show();
}

// What no control holds -----------------------------------------------------------------------

const more = {
  read: () => ({ given, title, text: text.typed(), ...kind.kept() }),
  apply(values) {
    kind.restore(values);
    [given, broken, title] = [null, false, values.title];
    showByHand(false);
    if (values.given) take(values.given);
    if (values.text !== null) text.type(values.text);
    else show(); // proposes values of the data, before the typed ones are set
  },
};

/** Set many values as one change. @param {() => void} set */
function batch(set) {
  filling = true;
  set();
  filling = false;
  show({ typed: text.typed() !== null });
}

// What it comes to ---------------------------------------------------------------------------

function show({ typed = false } = {}) {
  parts.measures.allow(kind.follow(given === null));
  held = byHand ? null : read();
  const [spec, where] = [specNow(), parts.data.values()];
  typing = typed;
  const missing = !spec || !where;
  // pressed, it goes to a refused number
  $("[data-submit]").disabled = broken || (missing && !invalidIn($("[data-form]")).length);
  if (spec && !typed && !broken) text.show(bodyOf(where ?? {}, spec).spec);
  if (broken || missing) {
    forecast.stop();
    empty("A value is missing or invalid: see the marked fields.");
  } else forecast.request({ ...bodyOf(where, spec), title });
  folds.check();
}

const specNow = () => given ?? (held && kind.toSpec(held));

/**
 * What is sent: the spec states what it is tried on where it was given so, otherwise the server adds what the choices
 * mean.
 */
const bodyOf = ({ series, ...where }, spec) => ({ ...where, spec: series ? { ...spec, series } : spec });

function showPlan(answer) {
  clear();
  if (!typing) text.show(kind.textOf(answer.spec, specNow()));
  $("[data-plan]").replaceChildren(...planned(answer, lineStyles));
  showBar(barTexts(answer));
  folds.show(answer.summary, { keep: Boolean(page.preset || page.origin) && !kept.isRestored });
  const name = $("#experiment-name");
  name.placeholder = answer.name;
  text.name(name.value || name.placeholder);
  $("[data-form]").dataset.ready = "all";
}

function showBar(/** @type {{size: string, work: string}} */ { size, work }) {
  $("[data-bar-size]").textContent = size;
  $("[data-bar-work]").textContent = work;
}

function empty(/** @type {string} */ note) {
  $("[data-plan]").replaceChildren(el("p.muted", note));
  showBar({ size: "Nothing to run yet", work: note });
  $("[data-form]").dataset.ready = "all";
}

function clear() {
  Object.values(parts).forEach((part) => part.clear());
  text.fail("");
  showErrors([]);
}

function refuse(/** @type {any[]} */ errors) {
  clear();
  const rest = errors.filter((error) => !kind.placed(error, messageOf(error), held, parts)).map(sentenceOf);
  if (byHand) text.fail(rest.join(" "));
  else showErrors(rest);
  empty("These values are not valid: see the marked fields.");
  folds.check({ open: true });
}

const showErrors = (/** @type {string[]} */ notes) => showTexts($("[data-problem]"), notes);

// Sending ------------------------------------------------------------------------------------

async function submit(/** @type {Event} */ event) {
  event.preventDefault();
  const button = $("[data-submit]");
  if (button.disabled || refuseInvalid($("[data-form]"))) return;
  button.disabled = true;
  const name = $("#experiment-name").value.trim();
  try {
    const made = await post(page.urls.experiments, { ...bodyOf(parts.data.values(), specNow()), name, title });
    kept.forget();
    location.assign(made.urls.page);
  } catch (error) {
    if (!error.errors) throw error;
    refuse(error.errors);
    button.disabled = false;
    ($("[data-form] [aria-invalid=true]") ?? $("[data-problem]")).focus();
  }
}

// Loading ------------------------------------------------------------------------------------

async function listed(/** @type {string[]} */ names) {
  const found = await Promise.all(names.map((name) => get(page.urls[name])));
  return Object.fromEntries(names.map((name, i) => [name, found[i].results]));
}

function build(createKind, lists) {
  lineStyles = new Map(lists.mechanisms.map((one) => [one.name, one]));
  const field = (/** @type {string} */ name) => ({
    ...lists.presets[0].fields.find((one) => one.name === name),
    required: true,
  });
  const on = { onChange: changed };
  forecast = createForecast(page.urls.plan, { show: showPlan, fail: refuse });
  kind = createKind({ page, lists, lineStyles, field, host, on, fill, take, quietly, show: () => parts && show() });
  parts = {
    ...kind.parts,
    measures: createMeasures(host("measures"), host("measures-error"), lists.measures, on),
    runs: createFields(host("runs"), ["repetitions", "seed"].map(field), on),
  };
  text = createText(host("json"), {
    onSpec(spec) {
      broken = !spec;
      if (spec) take(spec);
      title = "";
      show({ typed: true });
    },
  });
  common.addEventListener("change", changed);
  host("to-form").addEventListener("click", toTheForm);
  $("[data-form]").addEventListener("submit", submit);
}

async function load({ LISTS, createKind, begun }) {
  const [lists, beginning] = await Promise.all([listed(LISTS), begun?.(page)]);
  build(createKind, lists);
  title = await kind.begin(beginning);
  show();
  kept = keepExperiment($("[data-form]"), page.usual_kind, { more, batch });
  window.addEventListener("pageshow", ({ persisted }) => persisted && show()); // the button was pressed already
}

/**
 * The form of a kind of data, whose module exports what is its own: `LISTS`, the names of what it loads; `begun(page)`,
 * a first request beside them, if any; and `createKind({page, lists, lineStyles, field, host, on, fill, take, quietly,
 * show})`.
 *
 * The last returns {parts: {data, ...}, read() -> its values or null, fill(form), toForm(spec) or null, toSpec(form),
 * taken(spec, preset) -> the spec as it is sent, discardText() before the form is shown in place of a text, kept() and
 * restore(values) of what no control holds, follow(free) -> which measures there are, textOf(answered, sent),
 * placed(error, note, form, parts) -> whether it had a place, begin(begun) -> the name}.
 */
export function start(module) {
  load(module).catch((error) => {
    showErrors([error.message]);
    throw error;
  });
}
