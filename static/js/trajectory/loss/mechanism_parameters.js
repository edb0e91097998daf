/* What each mechanism is given of its own in a report, beside level and radius. */

import { addSpeed } from "../postprocess_steps.js";
import { el } from "../../core/dom.js";
import { commonFields, createFields } from "../../components/form_fields.js";
import { swatch } from "../../core/swatch.js";
import { invalidIn } from "../../components/number_field.js";

const PAUSE_MS = 250;
export const usual = ({ default: set, example }) => set ?? example ?? null;

export function read(text) {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return {};
  }
}

/**
 * Fields in `host` for what `described` mechanisms (as the API lists them) have beyond what all have; `text` is JSON of
 * {mechanism: {parameter: value}}, as is `onChange(text)` after a change, "" where nothing is other than usual.
 * Returns {fail(errors) -> the others, clear()}.
 */
export function createParameters(host, described, lineStyles, text, onChange) {
  const shared = new Set(commonFields(described).map(({ name }) => name));
  const given = read(text);
  let waiting;
  const changed = () => {
    clearTimeout(waiting);
    if (invalidIn(host).length) return;
    waiting = setTimeout(() => onChange(written()), PAUSE_MS);
  };
  const parts = described.flatMap((mechanism) => {
    const own = mechanism.fields.filter(({ name }) => !shared.has(name));
    if (!own.length) return [];
    const form = el("div", { class: "tiles tiles--wide" });
    const fields = createFields(form, own, { onChange: changed });
    addSpeed(form, fields, changed);
    fields.set(given[mechanism.name] ?? {});
    const head = el("p", { class: "own__name line strong" }, swatch(lineStyles[mechanism.name]), mechanism.title);
    const group = { class: "own", role: "group", "aria-label": `${mechanism.title}: parameters` };
    const element = el("div", { ...group, dataset: { mechanism: mechanism.name } }, head, form);
    return [{ name: mechanism.name, own, fields, element }];
  });
  host.replaceChildren(...parts.map(({ element }) => element));

  /** What differs from the usual. */
  function written() {
    const found = {};
    for (const { name, own, fields } of parts) {
      const values = fields.values();
      const other = own.filter((field) => field.name in values && values[field.name] !== usual(field));
      if (other.length) found[name] = Object.fromEntries(other.map((field) => [field.name, values[field.name]]));
    }
    return Object.keys(found).length ? JSON.stringify(found) : "";
  }

  return {
    fail(errors) {
      return parts.reduce((left, { name, fields }) => {
        const mine = left.filter(({ field }) => (field ?? "").startsWith(`parameters.${name}.`));
        return [...left.filter((one) => !mine.includes(one)), ...fields.fail(mine)];
      }, errors);
    },
    clear: () => parts.forEach(({ fields }) => fields.clear()),
  };
}
