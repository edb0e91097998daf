/* What is released: mechanisms at one or several levels, as drawn or smoothed. Each combination is a curve. */

import { el } from "../../core/dom.js";
import { swatch } from "../../components/legend.js";
import { addSpeed } from "../speed_field.js";
import { commonFields } from "../release_form/mechanism_cards.js";
import { createList, ofValue } from "./value_list.js";
import { curves } from "./spec.js";
import { createVariants } from "./variant_cards.js";

const DRAWN = {
  name: "drawn",
  title: "As drawn",
  summary: "The noise as it is, without any step after it.",
  fields: [],
};

/**
 * `hosts` = {mechanisms, own, level, after, afterOwn, afterNone}; `mechanisms` and `steps` as the API lists them.
 * Returns {values() -> as spec.js has them, or null, any(), set(values), fail(at, path, words), clear()}.
 */
export function createReleases(hosts, { mechanisms, steps, lineStyles }, usual, { onChange }) {
  const [epsilon, radius] = ["epsilon", "radius_m"].map((name) =>
    commonFields(mechanisms).find((field) => field.name === name),
  );
  const level = createList(
    { ...epsilon, label: "Levels", help: "Smaller protects more. Several, with commas between them, are swept." },
    usual.levels,
    { onChange },
  );
  const reach = createList(
    { ...radius, label: "Radii", help: "Places so far apart are protected at the level; several are swept." },
    usual.radii,
    { onChange },
  );
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
    row.over = el("fieldset", { class: "over" });
    return row.over;
  }
  function showOver() {
    const several = schemes.rows().length > 1 && after.rows().length > 1;
    for (const row of after.rows()) {
      row.over.hidden = !several;
      row.over.replaceChildren(
        el("legend", { class: "small muted" }, "For"),
        ...schemes.rows().map((scheme) => {
          const toggle = (event) => {
            row.left[event.target.checked ? "delete" : "add"](scheme);
            onChange();
          };
          return el(
            "label",
            { class: "choice small" },
            el("input", {
              type: "checkbox",
              checked: !row.left.has(scheme),
              "aria-label": `${row.title} for ${scheme.title}`,
              onchange: toggle,
            }),
            swatch(lineStyles.get(scheme.kind.name)),
            scheme.title,
          );
        }),
      );
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
    values() {
      const rows = schemes.rows();
      const own = rows.map((row) => row.values());
      const chains = after.rows().map((row) => ({ step: row.kind === DRAWN ? null : row.values(), row }));
      const [levels, radii] = [level.values(), reach.values()];
      const missing =
        own.includes(null) || chains.some(({ step, row }) => step === null && row.kind !== DRAWN) || !levels || !radii;
      if (missing || (rows.length && !chains.length)) return null;
      const over = (row) => rows.flatMap((scheme, i) => (row.left.has(scheme) ? [] : [i]));
      return { mechanisms: own, levels, radii, after: chains.map(({ step, row }) => ({ step, over: over(row) })) };
    },
    set(values) {
      schemes.set(values.mechanisms);
      after.set(values.after.map(({ step }) => step ?? DRAWN));
      after
        .rows()
        .forEach((row, j) => (row.left = new Set(schemes.rows().filter((_, i) => !values.after[j].over.includes(i)))));
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
    clear() {
      [schemes, after, reach, level].forEach((part) => part.clear());
    },
  };
}
