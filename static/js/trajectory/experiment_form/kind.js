/* What the form of an experiment on trajectories adds: landmarks, dummies, post-processing, an adversary's model. */

import { post } from "../../core/api.js";
import { $ } from "../../core/dom.js";
import { isGiven } from "../../components/number_field.js";
import { createData } from "./data_source.js";
import { placed } from "./error_placement.js";
import { createLandmarks } from "./landmark_sources.js";
import { createCorrelation, createDummies } from "./optional_sections.js";
import { createReference } from "./reference_radius.js";
import { createReleases } from "./releases.js";
import { toForm, toSpec } from "./spec.js";

export const LISTS = ["mechanisms", "postprocesses", "landmarks", "dummies", "measures", "presets"];
const OWN = ["releases", "landmarks", "dummies", "correlation"];
const formName = (/** @type {string} */ part) => (part === "releases" ? "release" : part);
const USUAL = {
  release: {
    mechanisms: ["landmark-skip", "landmark-uniform", "landmark-adaptive"].map((name) => ({ name })),
    levels: [1],
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

/** What the form is filled with at first: {spec, data, events, name}. @param {any} page */
export async function begun({ origin, preset, dataset, ...page }) {
  if (origin) {
    const { spec, dataset: on, preset: before } = origin;
    return { spec, data: { dataset: on, preset: before }, events: before?.events, name: "" };
  }
  const on = page.datasets.some((/** @type {any} */ { id }) => id === dataset) ? dataset : null;
  if (!preset) {
    const first = on ? null : { name: page.generated[0].preset, events: 1000 };
    return { spec: null, data: { dataset: on, preset: first }, events: 1000, name: "" };
  }
  const source = { dataset: on, preset: { name: preset } };
  const answer = await post(page.urls.plan, source);
  return { spec: answer.spec, data: source, events: answer.events, name: $("[data-form]").dataset.preset };
}

/** The part of the form of this kind, as pages/experiment_new.js has it. @param {any} form */
export function createKind(form) {
  const { page, lists, host } = form;
  const initial = { ...USUAL, release: { ...USUAL.release, radii: [page.radius_m] } };
  const parts = createParts(form, initial);
  const usual = { ...initial, landmarks: { ...initial.landmarks, kinds: parts.landmarks.kinds } };
  const fieldsOf = (/** @type {string} */ name) =>
    new Map(lists[name].map((/** @type {any} */ one) => [one.name, one.fields ?? []]));
  const known = {
    mechanisms: fieldsOf("mechanisms"),
    steps: fieldsOf("postprocesses"),
    landmarks: fieldsOf("landmarks"),
    dummies: fieldsOf("dummies"),
    measures: fieldsOf("measures"),
  };
  const followReference = createReference(host("reference"), page.radius_m, page.radii, parts.releases.proposeRadius);

  return {
    parts,
    placed,
    toSpec,
    toForm: (/** @type {any} */ spec) => toForm(spec, usual, known),
    read() {
      const values = OWN.map((name) => [formName(name), parts[name].values()]);
      return values.every(([, one]) => isGiven(one)) ? Object.fromEntries(values) : null;
    },
    fill: (/** @type {any} */ values) => OWN.forEach((name) => parts[name].set(values[formName(name)])),
    taken(/** @type {any} */ { series, ...spec }, /** @type {any} */ preset) {
      if (series) parts.data.set({ dataset: parts.data.dataset(), preset, series });
      return spec;
    },
    discardText() {},
    follow(/** @type {boolean} */ free) {
      parts.landmarks.of(parts.data.dataset());
      followReference(parts.data.chosen(), parts.releases.ranges(), free);
      return { release: parts.releases.any(), correlation: parts.correlation.any(), time: parts.data.time() };
    },
    textOf: (/** @type {any} */ { series }, /** @type {any} */ spec) => ({ ...spec, series }),
    kept: () => ({
      data: parts.data.values(),
      releases: parts.releases.rows(),
      dummies: parts.dummies.rows(),
      sets: parts.landmarks.sets(),
    }),
    restore(/** @type {any} */ { data: where, releases, dummies, sets }) {
      if (where) parts.data.set(where, where.preset?.events);
      parts.releases.set(releases);
      parts.dummies.set(dummies);
      parts.landmarks.setSets(sets);
    },
    begin(/** @type {any} */ { spec, data, events, name }) {
      parts.data.set(data, events);
      form.fill(initial);
      if (spec) form.take(spec, data.preset);
      return name;
    },
  };
}

function createParts(/** @type {any} */ form, /** @type {any} */ usual) {
  const { page, lists, lineStyles, host, on } = form;
  const order = Object.keys(page.palette);
  const mechanisms = [...lists.mechanisms].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const mark = (/** @type {string} */ id) => page.datasets.find((/** @type {any} */ one) => one.id === id).mark;
  return /** @type {any} */ ({
    data: createData(host("data"), page, form.field("events"), { onChange: form.show }),
    releases: createReleases(
      {
        mechanisms: host("mechanisms"),
        own: host("own"),
        level: host("level"),
        after: host("after"),
        afterOwn: host("after-own"),
        afterNone: host("after-none"),
      },
      { mechanisms, steps: lists.postprocesses, lineStyles },
      usual.release,
      on,
    ),
    landmarks: createLandmarks(
      host("landmarks"),
      lists.landmarks,
      usual.landmarks,
      { sets: page.urls.landmark_sets, mark },
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
      lists.dummies,
      usual.dummies,
      on,
    ),
    correlation: createCorrelation(
      { fold: host("correlation"), summary: host("correlation-summary"), all: host("correlations") },
      on,
    ),
  });
}
