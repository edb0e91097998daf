/* The form of an experiment on count streams or check-ins; begun by a preset, a copy, a dataset or as usual. */

import { createKindData } from "../components/experiment_form/kind_data.js";
import { createKindReleases } from "../components/experiment_form/kind_releases.js";
import { otherSweeps, sharedFields, toForm, toSpec } from "../components/experiment_form/kind_spec.js";
import { createFolds } from "../components/experiment_form/folds.js";
import { keepExperiment } from "../components/experiment_form/kept_experiment.js";
import { createMeasures } from "../components/experiment_form/measures.js";
import { createOtherSweep } from "../components/experiment_form/other_sweep.js";
import { planned } from "../components/experiment_form/plan.js";
import { barTexts } from "../components/experiment_form/plan_text.js";
import { createText } from "../components/experiment_form/spec_text.js";
import { createFields } from "../components/form_fields.js";
import { invalidIn, isGiven, refuseInvalid } from "../components/number_field.js";
import { get, post } from "../core/api.js";
import { $, announce, data, el } from "../core/dom.js";
import { messageOf, sentenceOf } from "../core/field_errors.js";
import { createForecast } from "../trajectory/release_form/forecast.js";

const page = data("page-data");
const EDGES = ["west", "south", "east", "north"];
const common = $("[data-common-noise]");
const folds = createFolds($("[data-form]"));
const host = (/** @type {string} */ name) => $(`[data-${name}]`);
/** @type {any} */
let parts, text, forecast, lineStyles, known, fields, usual, kept;
/** @type {any} */
let given = null; // a spec as it was given, sent as it is until the form is changed
let broken = false; // the text is no spec
let typing = false; // the text is what was changed last
let filling = false;
let title = ""; // its name where none is given

function read() {
  const { repetitions, seed } = parts.runs.values();
  const [releases, source, metrics] = [parts.releases.values(), parts.data.values(), parts.measures.values()];
  if (!releases || !source || !metrics || !isGiven(repetitions) || !isGiven(seed)) return null;
  const form = { ...releases, data: source.data, metrics, repetitions, seed, common: common.checked };
  parts.other.offer(otherSweeps(form, fields, known));
  const other = parts.other.values();
  return other === undefined ? null : { ...form, other };
}

/** Take a spec as it is: into the form if that can hold it, otherwise as text alone. */
function take(/** @type {any} */ spec) {
  given = spec;
  const form = toForm(spec, fields, known);
  showByHand(!form);
  if (form) fill(form);
}

function showByHand(/** @type {boolean} */ on) {
  host("formed").hidden = on;
  host("by-hand").hidden = !on;
  if (on) host("json").open = true;
}

function fill(/** @type {any} */ form) {
  const isWithin = filling;
  filling = true;
  parts.releases.set(form);
  parts.measures.set(form.metrics);
  parts.runs.set(form);
  parts.data.set({ dataset: form.data ? null : (parts.data.dataset()?.id ?? page.datasets[0]?.id), data: form.data });
  parts.other.offer(otherSweeps(form, fields, known));
  parts.other.set(form.other);
  common.checked = form.common;
  filling = isWithin;
}

const more = {
  read: () => ({
    given,
    title,
    dataset: parts.data.dataset()?.id ?? null,
    data: parts.data.rows(),
    mechanisms: parts.releases.rows(),
    other: parts.other.path(),
    text: text.typed(),
  }),
  apply(/** @type {any} */ { dataset, mechanisms, other, ...rest }) {
    parts.data.set({ dataset, data: rest.data });
    parts.releases.setRows(mechanisms);
    parts.other.offer(otherSweeps({ mechanisms, data: dataset ? null : rest.data }, fields, known));
    if (other !== parts.other.path()) parts.other.set(other ? { path: other, values: null } : null);
    [given, broken, title] = [null, false, rest.title];
    showByHand(false);
    if (rest.given) take(rest.given);
    if (rest.text !== null) text.type(rest.text);
  },
};

/** Set many values as one change. @param {() => void} set */
function batch(set) {
  filling = true;
  set();
  filling = false;
  show({ typed: text.typed() !== null });
}

function changed() {
  if (filling || !parts) return;
  [given, broken, title] = [null, false, ""];
  show();
}

/** A dataset's check-ins lie in its own box; generated ones in that of the preset. */
function sourceChanged(/** @type {any} */ dataset) {
  const box = dataset?.box ? Object.fromEntries(EDGES.map((edge, i) => [edge, dataset.box[i]])) : usual.single;
  const isWithin = filling;
  filling = true;
  parts.releases.place(box);
  filling = isWithin;
}

const bodyOf = (/** @type {any} */ spec) => ({ dataset: parts.data.dataset()?.id ?? null, preset: null, spec });
const specNow = () => {
  const form = given ? null : read();
  return given ?? (form && toSpec(page.kind, form));
};

function show({ typed = false } = {}) {
  parts.measures.allow({ release: true, correlation: true, time: true });
  typing = typed;
  const spec = specNow();
  $("[data-submit]").disabled = broken || (!spec && !invalidIn($("[data-form]")).length);
  if (spec && !typed && !broken) text.show(spec);
  if (broken || !spec) {
    forecast.stop();
    empty("A value is missing or invalid: see the marked fields.");
  } else forecast.request({ ...bodyOf(spec), title });
  folds.check();
}

function showPlan(/** @type {any} */ answer) {
  clear();
  if (!typing) text.show(answer.spec);
  $("[data-plan]").replaceChildren(...planned(answer, lineStyles));
  const name = $("#experiment-name");
  name.placeholder = answer.name;
  showBar(barTexts(answer));
  folds.show(answer.summary, { keep: Boolean(page.preset || page.origin) && !kept.isRestored });
  text.name(name.value || name.placeholder);
  $("[data-form]").dataset.ready = "all";
}

function showBar(/** @type {{size: string, work: string}} */ { size, work }) {
  $("[data-bar-size]").textContent = size;
  $("[data-bar-work]").textContent = work;
}

function empty(/** @type {string} */ note) {
  $("[data-plan]").replaceChildren(el("p", { class: "muted" }, note));
  showBar({ size: "Nothing to run yet", work: note });
  $("[data-form]").dataset.ready = "all";
}

function clear() {
  Object.values(parts).forEach((part) => part.clear());
  text.fail("");
  showErrors([]);
}

/** Show an error at its field; whether it had one: base.release.mechanism.window, grid.data.1.mean, metrics.0.k. */
function placed(/** @type {any} */ error) {
  const path = (error.field ?? "").split(".");
  const [note, last] = [messageOf(error), path.at(-1)];
  const numberIn = (/** @type {number} */ i) => (/^\d+$/.test(path[i] ?? "") ? Number(path[i]) : null);
  if (path[0] === "grid" && parts.other.fail(path, note)) return true;
  if (path[0] === "dataset") parts.data.fail(null, "", note);
  else if (["repetitions", "seed"].includes(path[0])) parts.runs.fail([{ field: path[0], message: note }]);
  else if (path[0] === "metrics") parts.measures.fail(numberIn(1), last, note);
  else if (path[1] === "data") parts.data.fail(numberIn(2) ?? 0, last, note);
  else if (path[1] === "release") {
    const parameter = path[path.indexOf("mechanism") + 1];
    return parts.releases.fail(parameter, { release: numberIn(2), at: numberIn(path.length - 1) }, note);
  } else return false;
  return true;
}

function refuse(/** @type {any[]} */ errors) {
  clear();
  const rest = host("formed").hidden ? errors : errors.filter((error) => !placed(error));
  if (host("formed").hidden) text.fail(rest.map(sentenceOf).join(" "));
  else showErrors(rest.map(sentenceOf));
  empty("These values are not valid: see the marked fields.");
  folds.check({ open: true });
}

function showErrors(/** @type {string[]} */ notes) {
  const box = $("[data-problem]");
  box.hidden = !notes.length;
  box.replaceChildren(...notes.map((note) => el("p", {}, note)));
  if (notes.length) announce(notes.join(" "));
}

async function submit(/** @type {Event} */ event) {
  event.preventDefault();
  const button = $("[data-submit]");
  if (button.disabled || refuseInvalid($("[data-form]"))) return;
  button.disabled = true;
  const name = $("#experiment-name");
  try {
    const made = await post(page.urls.experiments, { ...bodyOf(specNow()), name: name.value.trim(), title });
    kept.forget();
    location.assign(made.urls.page);
  } catch (error) {
    if (!error.errors) throw error;
    refuse(error.errors);
    button.disabled = false;
    ($("[data-form] [aria-invalid=true]") ?? $("[data-problem]")).focus();
  }
}

const fieldsOf = (/** @type {any[]} */ listed) => new Map(listed.map(({ name, fields: own }) => [name, own ?? []]));

function build(/** @type {any} */ { mechanisms, measures, generators, presets }) {
  lineStyles = new Map(mechanisms.map((one) => [one.name, one]));
  known = {
    mechanisms: fieldsOf(mechanisms),
    measures: fieldsOf(measures),
    generators: fieldsOf(generators),
    steps: new Map(),
    cell: page.cell,
  };
  fields = sharedFields(mechanisms);
  const on = { onChange: changed };
  const runs = ["repetitions", "seed"].map((name) =>
    presets[0].fields.find((/** @type {any} */ one) => one.name === name),
  );
  const hosts = { mechanisms: host("mechanisms"), own: host("own"), swept: host("swept"), single: host("single") };
  forecast = createForecast(page.urls.plan, { show: showPlan, fail: refuse });
  const made = {
    data: createKindData(host("data"), page, generators, { ...on, onSource: sourceChanged }),
    releases: createKindReleases(hosts, mechanisms, fields, lineStyles, on),
    measures: createMeasures(host("measures"), host("measures-error"), measures, on),
    other: createOtherSweep(host("other"), on),
    runs: createFields(
      host("runs"),
      runs.map((field) => ({ ...field, required: true })),
      on,
    ),
  };
  text = createText(host("json"), {
    onSpec(/** @type {any} */ spec) {
      broken = !spec;
      if (spec) take(spec);
      title = "";
      show({ typed: true });
    },
  });
  common.addEventListener("change", changed);
  host("to-form").addEventListener("click", () => {
    fill(usual);
    showByHand(false);
    changed();
  });
  $("[data-form]").addEventListener("submit", submit);
  parts = made;
}

async function start() {
  const names = ["mechanisms", "measures", "generators", "presets"];
  const found = await Promise.all(names.map((name) => get(page.urls[name])));
  const listed = Object.fromEntries(names.map((name, i) => [name, found[i].results]));
  build(listed);
  const { origin, preset, dataset } = page;
  const own = page.datasets.find((/** @type {any} */ { id }) => id === (origin ? origin.dataset : dataset)) ?? null;
  const specOf = async (/** @type {string} */ name, /** @type {string | null} */ id) =>
    (await post(page.urls.plan, { preset: { name }, dataset: id })).spec;
  const first = preset ?? listed.presets[0].name;
  const begun = await specOf(first, null);
  const held = toForm(begun, fields, known);
  usual = held ?? toForm(await specOf(listed.presets[0].name, null), fields, known);
  fill(usual);
  if (own) parts.data.set({ dataset: own.id, data: null });
  if (origin) take(origin.spec);
  else if (own) take(await specOf(first, own.id));
  else if (!held) take(begun);
  title = preset ? $("[data-form]").dataset.preset : "";
  show();
  kept = keepExperiment($("[data-form]"), { more, batch });
  window.addEventListener("pageshow", ({ persisted }) => persisted && show()); // the button was pressed already
}

start().catch((error) => {
  showErrors([error.message]);
  throw error;
});
