/* Several numbers in one field, "0.1, 0.3, 1": each is a value to try. */

import { count, el, number } from "../../dom.js";
import { frame } from "../../fields.js";

/** Shift the decimal point as text, so that 20 % are 0.2 to the last bit. */
const shifted = (text, by) => {
  const found = Number(`${text}e${by}`);
  return Number.isNaN(found) ? Number(text) * 10 ** by : found;
};

function wrong(tokens, values, { minimum, maximum, share, empty }) {
  const shown = (value) => number(share ? value * 100 : value, 12);
  const odd = tokens.find((token) => !Number.isFinite(Number(token)));
  const twice = values.find((value, i) => values.indexOf(value) < i);
  if (!tokens.length) return empty ? "" : "Give at least one number.";
  if (odd !== undefined) return `“${odd}” is no number. Put commas between several.`;
  if (values.some((value) => value < minimum)) return `Each must be at least ${shown(minimum)}.`;
  if (values.some((value) => value > maximum)) return `Each must be at most ${shown(maximum)}.`;
  return twice === undefined ? "" : `${shown(twice)} is there twice.`;
}

/**
 * A field for `field` = {name, label, symbol, unit, help, minimum, maximum, share}; `share` are typed in per cent,
 * `empty` lets it be none.
 * Returns {element, values() -> numbers or null, set(values), fail(message), clear()}.
 */
export function createList(field, start, { onChange }) {
  const by = field.share ? -2 : 0;
  const input = el("input", { class: "input", type: "text", autocomplete: "off", spellcheck: "false", required: !field.empty });
  const many = el("output", { class: "small muted" });
  const shown = field.share ? { ...field, unit: "%" } : field;
  const { element, fail } = frame(shown, input, input, many);

  function read() {
    const tokens = input.value.split(/[\s,;]+/).filter(Boolean);
    const values = tokens.map((token) => shifted(token, by));
    return { values, problem: wrong(tokens, values, field) };
  }
  function show() {
    const { values, problem } = read();
    many.textContent = !problem && values.length > 1 ? count(values.length, "value") : "";
    fail(problem);
  }
  input.addEventListener("input", () => {
    show();
    onChange();
  });
  const set = (values) => {
    input.value = values.map((value) => (by ? shifted(value, -by) : value)).join(", ");
    show();
  };
  set(start);
  return {
    element, set, fail,
    clear: show,
    values() {
      const { values, problem } = read();
      return problem ? null : values;
    },
  };
}

/** Which value of a list an error is about, if it says so. */
export const ofValue = (at, words) => (at === null || Number.isNaN(at) ? words : `Value ${at + 1}: ${words}`);
