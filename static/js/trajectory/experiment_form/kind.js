/* What the form of an experiment on trajectories adds: landmarks, dummies, post-processing, an adversary's model; the
 * reference radius of the chosen data, proposed, and what other radii are in it; errors of the API at the fields they
 * name: grid.landmarks.share.2, base.release.mechanism.step_variance_m2, …
 */

import { isGiven } from "../../components/number_field.js";
import { post } from "../../core/api.js";
import { $ } from "../../core/dom.js";
import { metres, number } from "../../core/format.js";
import { createData } from "./data_source.js";
import { createLandmarks } from "./landmark_sources.js";
import { createCorrelation, createDummies } from "./optional_sections.js";
import { createReleases } from "./releases.js";
import { AXES, toForm, toSpec } from "./spec.js";

/** {axis, at, path} of "grid.AXIS.2.rest" and of "base.release.rest". */
function read(field) {
  const [root, ...rest] = (field ?? "").split(".");
  const text = rest.join(".");
  const axis = AXES.find((name) => text === name || text.startsWith(`${name}.`));
  if (root === "base") return axis ? { axis: rest[0], at: null, path: rest.slice(1) } : null;
  if (root !== "grid" || !axis) return null;
  const [at, ...path] = text.slice(axis.length + 1).split(".");
  return { axis, at: at === "" ? null : Number(at), path };
}

/** Show an error at its field; whether it had one. `form` is null where the spec is not the form's. */
export function placed({ field }, note, form, { data, releases, landmarks, dummies, correlation, measures, runs }) {
  const [root, ...rest] = (field ?? "").split(".");
  if (root === "preset" || root === "dataset") data.fail(rest.at(-1) ?? root, note);
  else if (!form) return false;
  else if (["repetitions", "seed"].includes(root)) return !runs.fail([{ field: root, message: note }]).length;
  else if (root === "metrics") measures.fail(rest.length ? Number(rest[0]) : null, rest.at(-1), note);
  else {
    const found = read(field);
    if (!found) return false;
    const { axis, at, path } = found;
    if (axis.startsWith("dummies.epsilon")) dummies.failLevel(at, note);
    else if (axis === "release.mechanism.epsilon") releases.failLevel(at, note);
    else if (axis === "release.mechanism.radius_m") releases.failRadius(at, note);
    else if (axis === "release") return releases.fail(at, path, note, form.release);
    else if (axis.startsWith("landmarks")) return landmarks.fail(at, axis.split(".")[1] ?? path.at(-1), note);
    else if (axis === "dummies") return dummies.fail(at, path.at(-1), note);
    else return correlation.fail(at, path.at(-1), note);
  }
  return true;
}

/**
 * What levels are stated in: "Reference radius of Taxi day: 200 m, block. ε = 1 / 1 m (paper) is ε = 200 / 200 m."
 *
 * @param {{name: string, radius_m: number}} data
 * @param {{levels: number[] | null, radii: number[] | null}} typed
 * @param {{title: string, radius_m: number}[]} named
 */
export function referenceText(data, { levels, radii }, named) {
  const titleOf = (/** @type {number} */ radius) =>
    named.find(({ radius_m }) => radius_m === radius)?.title.toLowerCase();
  const title = titleOf(data.radius_m);
  const first = `Reference radius of ${data.name}: ${metres(data.radius_m)}${title ? `, ${title}` : ""}.`;
  const other = radii?.find((radius) => radius !== data.radius_m);
  const level = levels?.[0];
  if (!other || !level) return first;
  const called = titleOf(other) ? ` (${titleOf(other)})` : "";
  const within = `${number((level * data.radius_m) / other)} / ${metres(data.radius_m)}`;
  return `${first} ε = ${number(level)} / ${metres(other)}${called} is ε = ${within}.`;
}

/**
 * Follow the reference radius of the chosen data: `propose(radius_m)` is called where the radii are those proposed
 * before. Returns follow(data, typed).
 *
 * @param {HTMLElement} note
 * @param {number} first the radius that is proposed at first
 * @param {{title: string, radius_m: number}[]} named
 * @param {(radius_m: number) => void} propose
 */
export function createReference(note, first, named, propose) {
  let proposed = first;
  return (
    /** @type {{name: string, radius_m: number}} */ data,
    /** @type {{levels: number[] | null, radii: number[] | null}} */ typed,
    /** @type {boolean} */ free,
  ) => {
    let { radii } = typed;
    if (free && radii?.length === 1 && radii[0] === proposed) {
      proposed = data.radius_m;
      radii = [proposed];
      propose(proposed);
    }
    note.textContent = referenceText(data, { ...typed, radii }, named);
  };
}

export const LISTS = ["mechanisms", "postprocesses", "landmarks", "dummies", "measures", "presets"];
const OWN = ["releases", "landmarks", "dummies", "correlation"];
const formName = (/** @type {string} */ part) => (part === "releases" ? "release" : part);
const USUAL = {
  release: {
    mechanisms: ["landmark-skip", "landmark-uniform", "landmark-adaptive"].map((name) => ({ name })),
    ...{ levels: [1], after: [{ step: null, over: [0, 1, 2] }] },
  },
  landmarks: {
    ...{ kind: "synthetic", shares: [0, 0.2, 0.4, 0.6, 0.8, 1], distributions: ["uniform"] },
    ...{ more: { seed: 0 }, redraw: true },
  },
  dummies: { none: true, methods: [], levels: [1], shared: false },
  correlation: { smoothings: [null], states: 2, bound: "published", diameter_m: 1000 },
  ...{ metrics: ["error"], repetitions: 100, seed: 1, common: true },
};

// part -> where it is on the page
const RELEASES = {
  ...{ mechanisms: "mechanisms", own: "own", level: "level" },
  ...{ after: "after", afterOwn: "after-own", afterNone: "after-none" },
};
const DUMMIES = {
  ...{ fold: "dummies", summary: "dummies-summary", level: "dummies-level" },
  ...{ methods: "dummy-methods", own: "dummies-own" },
};
const CORRELATION = { fold: "correlation", summary: "correlation-summary", all: "correlations" };

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
  const fieldsOf = (listed) => new Map(listed.map(({ name, fields }) => [name, fields ?? []]));
  const { mechanisms, postprocesses: steps, landmarks, dummies, measures } = lists;
  const described = Object.entries({ mechanisms, steps, landmarks, dummies, measures });
  const known = Object.fromEntries(described.map(([name, listed]) => [name, fieldsOf(listed)]));
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
    kept() {
      const { data, releases: releaseRows, dummies: dummyRows, landmarks: sources } = parts;
      return { data: data.values(), releases: releaseRows.rows(), dummies: dummyRows.rows(), sets: sources.sets() };
    },
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
  const hosts = (names) => Object.fromEntries(Object.entries(names).map(([name, at]) => [name, host(at)]));
  const sources = { sets: page.urls.landmark_sets, mark };
  return /** @type {any} */ ({
    data: createData(host("data"), page, form.field("events"), { onChange: form.show }),
    releases: createReleases(
      hosts(RELEASES),
      { mechanisms, steps: lists.postprocesses, lineStyles },
      usual.release,
      on,
    ),
    landmarks: createLandmarks(host("landmarks"), lists.landmarks, usual.landmarks, sources, on),
    dummies: createDummies(hosts(DUMMIES), lists.dummies, usual.dummies, on),
    correlation: createCorrelation(hosts(CORRELATION), on),
  });
}
