/* What is released in an experiment: mechanisms, and the parameters all of them have. */

import { createFields } from "../form_fields.js";
import { swatch } from "../swatch.js";
import { isGiven } from "../number_field.js";
import { createTicks } from "./checkbox_group.js";
import { createList, ofValue } from "./value_list.js";
import { createVariants } from "./variant_cards.js";

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
export function createReleases(hosts, mechanisms, fields, lineStyles, { onChange }) {
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
