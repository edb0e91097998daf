/* What the form of an experiment adds for a kind whose cells release generated data or a dataset: mechanisms over the
   parameters that all of them have. */

import { $ } from "../../core/dom.js";
import { post } from "../../core/api.js";
import { createData } from "./generated_or_dataset.js";
import { otherSweeps, sharedFields, toForm, toSpec } from "./mechanism_spec.js";
import { createList, createOtherSweep, createTicks, ofValue } from "./value_list.js";
import { createFields } from "../form_fields.js";
import { swatch } from "../../core/swatch.js";
import { isGiven } from "../number_field.js";
import { createVariants } from "./variant_cards.js";

export const LISTS = ["mechanisms", "measures", "generators", "presets"];
const ALL = { release: true, correlation: true, time: true };
const fieldsOf = (/** @type {any[]} */ listed) => new Map(listed.map(({ name, fields: own }) => [name, own ?? []]));

/**
 * The part of the form of one kind, as pages/experiment_new.js has it. `ownValues(dataset)` are values that a dataset
 * proposes, null for those of the usual form.
 *
 * @param {any} form
 * @param {{ownValues?: (dataset: any) => Record<string, any> | null}} [options]
 */
export function createMechanismsForm(form, { ownValues = () => null } = {}) {
  const { page, lists, host, on } = form;
  const { mechanisms, measures, generators, presets } = lists;
  const known = {
    mechanisms: fieldsOf(mechanisms),
    measures: fieldsOf(measures),
    generators: fieldsOf(generators),
    steps: new Map(),
    cell: page.cell,
  };
  const fields = sharedFields(mechanisms);
  const hosts = { mechanisms: host("mechanisms"), own: host("own"), swept: host("swept"), single: host("single") };
  const onSource = (dataset) => form.quietly(() => parts.releases.place(ownValues(dataset) ?? usual.single));
  const parts = {
    data: createData(host("data"), page, generators, { ...on, onSource }),
    releases: createReleases(hosts, mechanisms, fields, form.lineStyles, on),
    other: createOtherSweep(host("other"), on),
  };
  let usual;
  const specFor = async (/** @type {string} */ name, /** @type {string | null} */ dataset) =>
    (await post(page.urls.plan, { preset: { name }, dataset })).spec;
  const offer = (chosen) => parts.other.offer(otherSweeps(chosen, fields, known));
  const formOf = (spec) => toForm(spec, fields, known);

  function fill(values) {
    parts.releases.set(values);
    const first = values.data ? null : (parts.data.dataset()?.id ?? page.datasets[0]?.id);
    parts.data.set({ dataset: first, data: values.data });
    offer(values);
    parts.other.set(values.other);
  }

  return {
    parts,
    fill,
    toForm: formOf,
    toSpec: (values) => toSpec(page.kind, values),
    taken: (spec) => spec,
    discardText: () => form.fill(usual),
    follow: () => ALL,
    textOf: (answered) => answered,
    placed: (error, /** @type {string} */ note, held, all) => held !== null && placed(error, note, all),
    read() {
      const [releases, source] = [parts.releases.values(), parts.data.chosen()];
      if (!releases || !source) return null;
      const values = { ...releases, data: source.data };
      offer(values);
      const other = parts.other.values();
      return other === undefined ? null : { ...values, other };
    },
    ...memory(parts, offer),
    async begin() {
      const { origin, preset, dataset } = page;
      const own = page.datasets.find(({ id }) => id === (origin ? origin.dataset : dataset)) ?? null;
      const first = preset ?? presets[0].name;
      const begun = await specFor(first, null);
      const held = formOf(begun);
      usual = held ?? formOf(await specFor(presets[0].name, null));
      form.fill(usual);
      if (own) parts.data.set({ dataset: own.id, data: null });
      if (origin) form.take(origin.spec);
      else if (own) form.take(await specFor(first, own.id));
      else if (!held) form.take(begun);
      return preset ? $("[data-form]").dataset.preset : "";
    },
  };
}

/** What no control of the form holds. */
const memory = (parts, /** @type {(chosen: any) => void} */ offer) => ({
  kept: () => ({
    dataset: parts.data.dataset()?.id ?? null,
    data: parts.data.rows(),
    mechanisms: parts.releases.rows(),
    other: parts.other.path(),
  }),
  restore({ dataset, data, mechanisms, other }) {
    parts.data.set({ dataset, data });
    parts.releases.setRows(mechanisms);
    offer({ mechanisms, data: dataset ? null : data });
    if (other !== parts.other.path()) parts.other.set(other ? { path: other, values: null } : null);
  },
});

/** Show an error at its field; whether it had one: base.release.mechanism.window, grid.data.1.mean, metrics.0.k. */
export function placed(error, /** @type {string} */ note, parts) {
  const path = (error.field ?? "").split(".");
  const last = path.at(-1);
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

const LEAST = "Select at least one.";

/** A list of numbers, or checkboxes for a parameter with choices. */
function sweep(field, { onChange }) {
  if (!field.choices.length) return createList(field, [field.default ?? field.example], { onChange });
  const choices = field.choices.map(({ value, label }) => ({ value, label }));
  const shown = { legend: field.label, help: field.help, choices, least: LEAST };
  return createTicks(shown, [field.default ?? choices[0].value], { onChange });
}

/**
 * `hosts` = {mechanisms, own, swept, single}; `fields` as sharedFields gives them.
 * Returns {values() -> {mechanisms, swept, single} or null, rows() without their values, setRows(rows), set(values),
 * fail(parameter, {release, at}, text), place(values), clear()}; `place` sets some of the single values.
 *
 * @param {{mechanisms: HTMLElement, own: HTMLElement, swept: HTMLElement, single: HTMLElement}} hosts
 * @param {any[]} mechanisms
 * @param {{swept: any[], single: any[]}} fields
 * @param {Map<string, any>} lineStyles
 * @param {{onChange: () => void}} on
 */
function createReleases(hosts, mechanisms, fields, lineStyles, { onChange }) {
  const shared = [...fields.swept, ...fields.single].map(({ name }) => name);
  const variants = createVariants({ cards: hosts.mechanisms, rows: hosts.own }, mechanisms, {
    name: "mechanism",
    shared,
    line: ({ name }) => swatch(lineStyles.get(name)),
    onChange,
  });
  const lists = new Map(fields.swept.map((field) => [field.name, sweep(field, { onChange })]));
  hosts.swept.replaceChildren(...[...lists.values()].map(({ element }) => element));
  const single = createFields(hosts.single, fields.single, { onChange });

  return {
    values() {
      const chosen = variants.rows().map((row) => row.values());
      const swept = Object.fromEntries([...lists].map(([name, list]) => [name, list.values()]));
      const rest = single.values();
      const complete = chosen.length > 0 && !chosen.includes(null) && !Object.values(swept).includes(null);
      return complete && Object.values(rest).every(isGiven) ? { mechanisms: chosen, swept, single: rest } : null;
    },
    set(form) {
      variants.set(form.mechanisms);
      lists.forEach((list, name) => list.set(form.swept[name]));
      single.set(form.single);
    },
    rows: variants.names,
    setRows: variants.set,
    place: (values) => single.set(values),
    /** Whether the error had a place. */
    fail(parameter, { release, at }, text) {
      const list = lists.get(parameter);
      if (list) list.fail(ofValue(at, text));
      else if (fields.single.some(({ name }) => name === parameter)) single.fail([{ field: parameter, message: text }]);
      else return variants.fail(release ?? 0, parameter, text);
      return true;
    },
    clear() {
      [variants, single, ...lists.values()].forEach((part) => part.clear());
    },
  };
}
