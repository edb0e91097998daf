/* The form of an experiment: what is swept, on what, measured how; begun by a preset, a copy, a dataset or as usual. */

import { get, post } from "../core/api.js";
import { createForecast } from "../trajectory/release_form/forecast.js";
import { $, announce, data, el } from "../core/dom.js";
import { createData } from "../trajectory/experiment_form/data_source.js";
import { place } from "../trajectory/experiment_form/error_placement.js";
import { createCorrelation, createDummies } from "../trajectory/experiment_form/optional_sections.js";
import { createLandmarks } from "../trajectory/experiment_form/landmark_sources.js";
import { createFolds } from "../components/experiment_form/folds.js";
import { keepExperiment } from "../components/experiment_form/kept_experiment.js";
import { createMeasures } from "../components/experiment_form/measures.js";
import { planned } from "../components/experiment_form/plan.js";
import { barTexts } from "../components/experiment_form/plan_text.js";
import { createReference } from "../trajectory/experiment_form/reference_radius.js";
import { createReleases } from "../trajectory/experiment_form/releases.js";
import { toForm, toSpec } from "../trajectory/experiment_form/spec.js";
import { createText } from "../components/experiment_form/spec_text.js";
import { createFields } from "../components/form_fields.js";
import { invalidIn, isGiven, refuseInvalid } from "../components/number_field.js";

const page = data("page-data");
const USUAL = {
  release: {
    mechanisms: ["landmark-skip", "landmark-uniform", "landmark-adaptive"].map((name) => ({ name })),
    levels: [1],
    radii: [page.radius_m],
    after: [{ step: null, over: [0, 1, 2] }],
  },
  landmarks: {
    kind: "synthetic",
    shares: [0, 0.2, 0.4, 0.6, 0.8, 1],
    distributions: ["uniform"],
    more: { seed: 0 },
    redraw: true,
  },
  dummies: { none: true, methods: [], levels: [1], shared: false },
  correlation: { smoothings: [null], states: 2, bound: "published", diameter_m: 1000 },
  metrics: ["error"],
  repetitions: 100,
  seed: 1,
  common: true,
};
const common = $("[data-common-noise]");
const folds = createFolds($("[data-form]"));
let parts, text, forecast, lineStyles, known, usual, followReference, kept;
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
  const runs = { repetitions, seed, common: common.checked };
  const found = {
    ...Object.fromEntries(
      ["release", "landmarks", "dummies", "correlation", "metrics"].map((name) => [name, parts[FILLS[name]].values()]),
    ),
    ...runs,
  };
  return Object.values(found).every(isGiven) ? found : null;
}
const FILLS = {
  release: "releases",
  landmarks: "landmarks",
  dummies: "dummies",
  correlation: "correlation",
  metrics: "measures",
};

function fill(form) {
  const isWithin = filling;
  filling = true;
  for (const [name, part] of Object.entries(FILLS)) parts[part].set(form[name]);
  parts.runs.set(form);
  common.checked = form.common;
  filling = isWithin;
}

/** Take a spec as it is: into the form if that can hold it, otherwise as text alone. */
function take({ series, ...spec }, preset = null) {
  given = spec;
  if (series) parts.data.set({ dataset: parts.data.dataset(), preset, series });
  const form = toForm(spec, usual, known);
  showByHand(!form);
  if (form) fill(form);
}

function showByHand(on) {
  byHand = on;
  $("[data-formed]").hidden = on;
  $("[data-by-hand]").hidden = !on;
  if (on) $("[data-json]").open = true;
}

function toTheForm() {
  showByHand(false);
  changed();
}

/** The form was changed: what was given is no longer what is requested. */
function changed() {
  if (filling || !parts) return;
  given = null;
  broken = false;
  title = "";
  show();
}

// What no control holds -----------------------------------------------------------------------

const more = {
  read: () => ({
    given,
    title,
    data: parts.data.values(),
    releases: parts.releases.rows(),
    dummies: parts.dummies.rows(),
    sets: parts.landmarks.sets(),
    text: text.typed(),
  }),
  apply(/** @type {any} */ { data: where, releases, dummies, sets, ...rest }) {
    if (where) parts.data.set(where, where.preset?.events);
    parts.releases.set(releases);
    parts.dummies.set(dummies);
    parts.landmarks.setSets(sets);
    [given, broken, title] = [null, false, rest.title];
    showByHand(false);
    if (rest.given) take(rest.given);
    if (rest.text !== null) text.type(rest.text);
    else show(); // proposes the radius of the data, before the typed one is set
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
  parts.measures.allow({
    release: parts.releases.any(),
    correlation: parts.correlation.any(),
    time: parts.data.time(),
  });
  parts.landmarks.of(parts.data.dataset());
  followReference(parts.data.chosen(), parts.releases.ranges(), given === null);
  held = byHand ? null : read();
  const spec = given ?? (held && toSpec(held));
  const where = parts.data.values();
  typing = typed;
  const missing = !spec || !where;
  // pressed, it goes to a refused number
  $("[data-submit]").disabled = broken || (missing && !invalidIn($("[data-form]")).length);
  if (spec && !typed && !broken) text.show(where?.series ? { ...spec, series: where.series } : spec);
  if (broken || missing) {
    forecast.stop();
    empty("A value is missing or invalid: see the marked fields.");
  } else forecast.request({ ...bodyOf(where, spec), title });
  folds.check();
}

/**
 * What is sent: the spec states what it is tried on where it was given so, otherwise the server adds what the choices
 * mean.
 */
const bodyOf = ({ series, ...where }, spec) => ({ ...where, spec: series ? { ...spec, series } : spec });

function showPlan(answer) {
  clear();
  if (!typing) text.show({ ...(given ?? toSpec(held)), series: answer.spec.series });
  $("[data-plan]").replaceChildren(...planned(answer, lineStyles));
  showBar(barTexts(answer));
  folds.show(answer.summary, { keep: Boolean(page.preset || page.origin) && !kept.isRestored });
  $("#experiment-name").placeholder = answer.name;
  text.name($("#experiment-name").value || $("#experiment-name").placeholder);
  $("[data-form]").dataset.ready = "all";
}

function showBar({ size, work }) {
  $("[data-bar-size]").textContent = size;
  $("[data-bar-work]").textContent = work;
}

function empty(note) {
  $("[data-plan]").replaceChildren(el("p", { class: "muted" }, note));
  showBar({ size: "Nothing to run yet", work: note });
  $("[data-form]").dataset.ready = "all";
}

function clear() {
  Object.values(parts).forEach((part) => part.clear());
  text.fail("");
  showErrors([]);
}

function refuse(errors) {
  clear();
  const rest = place(errors, held, parts);
  if (byHand) text.fail(rest.join(" "));
  else showErrors(rest);
  empty("These values are not valid: see the marked fields.");
  folds.check({ open: true });
}

function showErrors(note) {
  const box = $("[data-problem]");
  box.hidden = !note.length;
  box.replaceChildren(...note.map((one) => el("p", {}, one)));
  if (note.length) announce(note.join(" "));
}

// Sending ------------------------------------------------------------------------------------

async function submit(event) {
  event.preventDefault();
  const button = $("[data-submit]");
  if (button.disabled || refuseInvalid($("[data-form]"))) return;
  button.disabled = true;
  const name = $("#experiment-name");
  const spec = given ?? toSpec(held);
  try {
    const made = await post(page.urls.experiments, {
      ...bodyOf(parts.data.values(), spec),
      name: name.value.trim(),
      title,
    });
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

async function listed() {
  const links = ["mechanisms", "postprocesses", "landmarks", "dummies", "measures", "presets"];
  const found = await Promise.all(links.map((name) => get(page.urls[name])));
  return Object.fromEntries(links.map((name, i) => [name, found[i].results]));
}

/** Everything by its name, with its fields. */
const fieldsOf = (things) => new Map(things.map(({ name, fields }) => [name, fields ?? []]));

function build({ mechanisms, postprocesses, landmarks, dummies, measures, presets }) {
  const order = Object.keys(page.palette);
  const described = [...mechanisms].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  lineStyles = new Map(described.map((one) => [one.name, one]));
  known = {
    mechanisms: fieldsOf(mechanisms),
    steps: fieldsOf(postprocesses),
    landmarks: fieldsOf(landmarks),
    dummies: fieldsOf(dummies),
    measures: fieldsOf(measures),
  };
  const field = (name) => ({ ...presets[0].fields.find((one) => one.name === name), required: true });
  const on = { onChange: changed };
  const host = (name) => $(`[data-${name}]`);
  forecast = createForecast(page.urls.plan, { show: showPlan, fail: refuse });
  const made = {
    data: createData(host("data"), page, field("events"), { onChange: () => parts && show() }),
    releases: createReleases(
      {
        mechanisms: host("mechanisms"),
        own: host("own"),
        level: host("level"),
        after: host("after"),
        afterOwn: host("after-own"),
        afterNone: host("after-none"),
      },
      { mechanisms: described, steps: postprocesses, lineStyles },
      USUAL.release,
      on,
    ),
    landmarks: createLandmarks(
      host("landmarks"),
      landmarks,
      USUAL.landmarks,
      { sets: page.urls.landmark_sets, mark: (id) => page.datasets.find((one) => one.id === id).mark },
      on,
    ),
    dummies: createDummies(
      {
        fold: host("dummies"),
        summary: host("dummies-summary"),
        methods: host("dummy-methods"),
        own: host("dummies-own"),
        level: host("dummies-level"),
      },
      dummies,
      USUAL.dummies,
      on,
    ),
    correlation: createCorrelation(
      { fold: host("correlation"), summary: host("correlation-summary"), all: host("correlations") },
      on,
    ),
    measures: createMeasures(host("measures"), host("measures-error"), measures, on),
    runs: createFields(host("runs"), ["repetitions", "seed"].map(field), on),
  };
  usual = { ...USUAL, landmarks: { ...USUAL.landmarks, kinds: made.landmarks.kinds } };
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
  followReference = createReference(host("reference"), page.radius_m, page.radii, made.releases.proposeRadius);
  parts = made;
}

/** What the form is filled with at first: {spec, data, events}. */
async function begun() {
  const { origin, preset, dataset } = page;
  if (origin)
    return {
      spec: origin.spec,
      data: { dataset: origin.dataset, preset: origin.preset },
      events: origin.preset?.events,
      name: "",
    };
  const on = page.datasets.some(({ id }) => id === dataset) ? dataset : null;
  if (!preset)
    return {
      spec: null,
      data: { dataset: on, preset: on ? null : { name: page.generated[0].preset, events: 1000 } },
      events: 1000,
      name: "",
    };
  const source = { dataset: on, preset: { name: preset } };
  const answer = await post(page.urls.plan, source);
  return { spec: answer.spec, data: source, events: answer.events, name: $("[data-form]").dataset.preset };
}

async function start() {
  const [all, beginning] = await Promise.all([listed(), begun()]);
  build(/** @type {any} */ (all));
  parts.data.set(beginning.data, beginning.events);
  title = beginning.name;
  fill(USUAL);
  if (beginning.spec) take(beginning.spec, beginning.data.preset);
  show();
  kept = keepExperiment($("[data-form]"), { more, batch });
  window.addEventListener("pageshow", ({ persisted }) => persisted && show()); // the button was pressed already
}

start().catch((error) => {
  showErrors([error.message]);
  throw error;
});
