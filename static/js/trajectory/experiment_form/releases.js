/* What is released: mechanisms at one or several levels, as drawn or smoothed. Each combination is a curve. */

import { el } from "../../core/dom.js";
import { swatch } from "../../core/swatch.js";
import { addSpeed } from "../postprocess_steps.js";
import { commonFields } from "../../components/form_fields.js";
import { createList, ofValue } from "../../components/experiment_form/value_list.js";
import { curves } from "./spec.js";
import { createVariants } from "../../components/experiment_form/variant_cards.js";

export const DRAWN = { name: "drawn", title: "As sampled", summary: "The noise without post-processing.", fields: [] };

/**
 * `hosts` = {mechanisms, own, level, after, afterOwn, afterNone}; `mechanisms` and `steps` as the API lists them.
 * Returns {values() -> as spec.js has them, or null, any(), rows() -> the same rows with the usual values,
 * ranges() -> {levels, radii}, proposeRadius(radius_m), set(values), fail(at, path, text), clear()}.
 */
export function createReleases(hosts, { mechanisms, steps, lineStyles }, usual, { onChange }) {
  const [level, reach] = levelLists(mechanisms, usual, onChange);
  hosts.level.replaceChildren(level.element, reach.element);

  const extend = (row) => addSpeed(row.form, row.fields, onChange);
  const schemes = createVariants({ cards: hosts.mechanisms, rows: hosts.own }, mechanisms, {
    name: "mechanism",
    shared: ["epsilon", "radius_m"],
    line: ({ name }) => swatch(lineStyles.get(name)),
    extend,
    onChange: changed,
  });
  const after = createVariants({ cards: hosts.after, rows: hosts.afterOwn }, [DRAWN, ...steps], {
    name: "after",
    extend: addOver,
    onChange: changed,
  });

  /** For which of the mechanisms a step is drawn: all, until one is unticked. */
  function addOver(row) {
    extend(row);
    row.left = new Set();
    row.over = el("fieldset", { class: "over row" });
    return row.over;
  }
  function showOver() {
    const several = schemes.rows().length > 1 && after.rows().length > 1;
    for (const row of after.rows()) {
      row.over.hidden = !several;
      const schemesOf = schemes.rows().map((scheme) => overChoice(row, scheme, lineStyles, onChange));
      row.over.replaceChildren(el("legend", { class: "small muted" }, "For"), ...schemesOf);
      row.element.hidden = !several && row.kind === DRAWN;
    }
    hosts.afterOwn.hidden = after.rows().every(({ element }) => element.hidden);
    hosts.afterNone.hidden = after.rows().length > 0;
  }
  function changed() {
    showOver();
    onChange();
  }

  return {
    any: () => schemes.rows().length > 0,
    rows: () => ({ ...usual, mechanisms: schemes.names(), after: after.names().map(usualChain(schemes.names())) }),
    ranges: () => ({ levels: level.values(), radii: reach.values() }),
    proposeRadius: (radius_m) => reach.set([radius_m]),
    values() {
      const rows = schemes.rows();
      const mechanismValues = rows.map((row) => row.values());
      const [levels, radii] = [level.values(), reach.values()];
      const chains = after.rows().map((row) => chainOf(row, rows));
      const isComplete = !mechanismValues.includes(null) && !chains.includes(null) && levels && radii;
      if (!isComplete || (rows.length && !chains.length)) return null;
      return { mechanisms: mechanismValues, levels, radii, after: chains };
    },
    set(values) {
      schemes.set(values.mechanisms);
      after.set(values.after.map(({ step }) => step ?? DRAWN));
      const leftBy = ({ over }) => new Set(schemes.rows().filter((_, i) => !over.includes(i)));
      after.rows().forEach((row, j) => (row.left = leftBy(values.after[j])));
      level.set(values.levels);
      reach.set(values.radii);
      showOver();
    },
    /** Show what is wrong with the curve number `at`, or with all levels; whether it had a place. */
    fail(at, path, text, { mechanisms: ticked, after: chains }) {
      const parameter = path.at(-1);
      const which = curves({ mechanisms: ticked, after: chains })[at ?? 0];
      if (parameter === "epsilon") level.fail(text);
      else if (parameter === "radius_m") reach.fail(text);
      else if (!which) return false;
      else if (path[0] === "postprocess") return after.fail(which.after, parameter, text);
      else return schemes.fail(which.mechanism, parameter, text);
      return true;
    },
    failLevel: (at, text) => level.fail(ofValue(at, text)),
    failRadius: (at, text) => reach.fail(ofValue(at, text)),
    clear: () => [schemes, after, reach, level].forEach((part) => part.clear()),
  };
}

/** The lists of levels and radii. */
function levelLists(mechanisms, usual, onChange) {
  const common = commonFields(mechanisms);
  const list = (name, texts, values) =>
    createList({ ...common.find((field) => field.name === name), ...texts }, values, { onChange });
  const levels = { label: "Levels", help: "Smaller protects more. Several, with commas between them, are swept." };
  const radii = { label: "Radii", help: "Places this far apart are protected with ε; several are swept." };
  return [list("epsilon", levels, usual.levels), list("radius_m", radii, usual.radii)];
}

/** {step, over} of a row with its usual parameters, for all mechanisms. */
export const usualChain = (mechanisms) => (step) => ({
  step: step.name === DRAWN.name ? null : step,
  over: mechanisms.map((_, i) => i),
});

/** The choice of a mechanism for a step. */
function overChoice(row, scheme, lineStyles, onChange) {
  const onchange = (event) => {
    row.left[event.target.checked ? "delete" : "add"](scheme);
    onChange();
  };
  const label = `${row.title} for ${scheme.title}`;
  const value = `${row.kind.name} ${scheme.kind.name}`;
  const box = { type: "checkbox", name: "over", value, "aria-label": label };
  const input = el("input", { ...box, checked: !row.left.has(scheme), onchange });
  return el("label", { class: "choice small" }, input, swatch(lineStyles.get(scheme.kind.name)), scheme.title);
}

/** {step, over} of a row, `over` the numbers of its mechanisms among `rows`; null where a number is missing. */
export function chainOf(row, rows) {
  const step = row.kind === DRAWN ? null : row.values();
  if (step === null && row.kind !== DRAWN) return null;
  return { step, over: rows.flatMap((scheme, i) => (row.left.has(scheme) ? [] : [i])) };
}
