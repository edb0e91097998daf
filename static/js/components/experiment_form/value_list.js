/* Several numbers in one field, "0.1, 0.3, 1": each is a value to try. */

import { frame } from "../form_fields.js";
import { createNumber, listReadingOf } from "../number_field.js";
import { el } from "../../core/dom.js";
import { count } from "../../core/format.js";
import { shifted, writtenNumber } from "../../core/number_text.js";

export const inPercent = (field) => ({
  ...field,
  unit: "%",
  minimum: (field.minimum ?? 0) * 100,
  maximum: (field.maximum ?? 1) * 100,
});

/**
 * A field for `field` = {name, label, symbol, unit, help, minimum, maximum, share}; `share` are typed in per cent,
 * `empty` lets it be none.
 * Returns {element, values() -> numbers or null, set(values), fail(message), clear()}.
 */
export function createList(field, start, { onChange }) {
  const by = field.share ? -2 : 0;
  const shown = { ...(field.share ? inPercent(field) : field), required: !field.empty };
  const { input } = createNumber(shown, { list: true });
  const many = el("output", { class: "small muted" });
  const { element, fail } = frame(shown, input, input, many);

  const numbers = () => listReadingOf(input).texts.map((text) => shifted(text, by));
  function show() {
    const { values, problem } = listReadingOf(input);
    many.textContent = !problem && values.length > 1 ? count(values.length, "value") : "";
    fail(problem);
  }
  input.addEventListener("input", () => {
    show();
    onChange();
  });
  const set = (values) => {
    const texts = values.map((value) => writtenNumber(by ? shifted(value, -by) : value, shown));
    if (input.value === "" || String(numbers()) !== String(values)) input.value = texts.join(", ");
    show();
  };
  set(start);
  return {
    element,
    set,
    fail,
    clear: show,
    values() {
      const { problem } = listReadingOf(input);
      return problem ? null : numbers();
    },
  };
}

/** Which value of a list an error is about, if it is aborted. */
export const ofValue = (at, message) => (at === null || Number.isNaN(at) ? message : `Value ${at + 1}: ${message}`);
