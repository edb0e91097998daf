/* Between the form of an experiment over the parameters of mechanisms and its spec, both ways. */

import { same } from "./cells.js";

const MECHANISM = "release.mechanism.";

/**
 * The parameters that all `mechanisms` have: those with a symbol or choices are `swept`, of the others (the edges of a
 * box) each has one value.
 */
export function sharedFields([first, ...others]) {
  const shared = first.fields.filter((field) =>
    others.every(({ fields }) => fields.some(({ name }) => name === field.name)),
  );
  const isSwept = ({ symbol, choices }) => symbol !== "" || choices.length > 0;
  return { swept: shared.filter(isSwept), single: shared.filter((field) => !isSwept(field)) };
}

/**
 * What else can be swept, [{path, field}]: numbers that all chosen mechanisms have beside the shared ones, that all
 * chosen generated data have, and that a cell has.
 *
 * @param {{mechanisms: any[], data: any[] | null}} form
 * @param {{swept: any[], single: any[]}} fields
 * @param {any} known
 */
export function otherSweeps({ mechanisms, data }, { swept, single }, known) {
  const shared = [...swept, ...single, ...known.cell].map(({ name }) => name);
  const isNumber = ({ name, symbol, choices, text }) =>
    symbol !== "" && !choices.length && !text && !shared.includes(name);
  const common = (chosen, listed, prefix) => {
    const [first = [], ...others] = chosen.map(({ name }) => listed.get(name) ?? []);
    return first
      .filter((field) => isNumber(field) && others.every((fields) => fields.some(({ name }) => name === field.name)))
      .map((field) => ({ path: prefix + field.name, field }));
  };
  return [
    ...common(mechanisms, known.mechanisms, MECHANISM),
    ...common(data ?? [], known.generators, "data."),
    ...known.cell.map((field) => ({ path: field.name, field })),
  ];
}

/** The spec of what the form holds; `data` is null for the dataset. @param {string} kind @param {any} form */
export function toSpec(kind, { mechanisms, swept, single, other, data, metrics, repetitions, seed, common }) {
  const first = Object.fromEntries(Object.entries(swept).map(([name, values]) => [name, values[0]]));
  const releases = mechanisms.map(({ name, ...own }) => ({ mechanism: { name, ...first, ...single, ...own } }));
  const axes = Object.entries(swept).filter(([, values]) => values.length > 1);
  const base = { ...(releases.length === 1 && { release: releases[0] }), ...(data?.length === 1 && { data: data[0] }) };
  const grid = {
    ...(releases.length > 1 && { release: releases }),
    ...(data?.length > 1 && { data }),
    ...Object.fromEntries(axes.map(([name, values]) => [MECHANISM + name, values])),
    ...(other && { [other.path]: other.values }),
  };
  return { kind, base, grid, repetitions, seed, metrics, common };
}

const only = (values) => {
  if (new Set(values.map((value) => JSON.stringify(value))).size !== 1) throw new RangeError("several values");
  return values[0];
};

/**
 * What the form holds for a spec; null where it cannot hold it. `fields` are those of {@link sharedFields}, `known` the
 * fields of all that is listed, by sort and name.
 *
 * @param {any} spec
 * @param {{swept: any[], single: any[]}} fields
 * @param {any} known
 */
export function toForm(spec, { swept, single }, known) {
  try {
    const { kind, base, grid = {}, repetitions, seed, metrics, common = true } = spec;
    const described = (grid.release ?? [base.release]).map(({ mechanism }) => mechanism);
    const valueOf = (field) => only(described.map((one) => one[field.name] ?? field.default));
    const listOf = (field) => grid[MECHANISM + field.name] ?? [valueOf(field)];
    const named = (/** @type {any[]} */ list, of) => Object.fromEntries(list.map((field) => [field.name, of(field)]));
    const shared = [...swept, ...single].map(({ name }) => name);
    const axes = ["release", "data", ...swept.map(({ name }) => MECHANISM + name)];
    const others = Object.keys(grid).filter((name) => !axes.includes(name));
    const own = (mechanism) => Object.fromEntries(Object.entries(mechanism).filter(([name]) => !shared.includes(name)));
    const form = {
      mechanisms: described.map(own),
      swept: named(swept, listOf),
      single: named(single, valueOf),
      data: grid.data ?? (base.data ? [base.data] : null),
      other: others.length ? { path: only(others), values: grid[others[0]] } : null,
      metrics: [...metrics],
      repetitions,
      seed,
      common,
    };
    const listed =
      form.mechanisms.every(({ name }) => known.mechanisms.has(name)) &&
      (form.data ?? []).every((one) => known.generators.has(one?.name)) &&
      metrics.every((metric) => known.measures.has(metric.name ?? metric));
    const offered = otherSweeps(form, { swept, single }, known).map(({ path }) => path);
    if (form.other && !offered.includes(form.other.path)) return null;
    return listed && same(spec, toSpec(kind, form), known) ? form : null;
  } catch {
    return null; // it is not what a spec is like, or more than this form shows
  }
}
