/* Number fields above the table of a release form: {values(), set(values), fail(errors) -> the others, clear()}. */

import { $ } from "../../core/dom.js";
import { messageOf } from "../../core/field_errors.js";
import { check, isGiven, showProblem, valueOf, write } from "../number_field.js";
import { createEpsilon } from "./epsilon_field.js";

/** The inputs by the names of their parameters, `epsilon` of epsilon_field.js. @returns {any} */
export function numberFields({ epsilon, ...rest }, onChange) {
  const inputs = { epsilon: epsilon.input, ...rest };
  for (const input of Object.values(rest)) input.addEventListener("input", onChange);
  const nameOf = ({ field }) => (field ?? "").split(".").at(-1);
  return {
    values: () => Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, valueOf(input)])),
    set(given) {
      epsilon.set(given.epsilon);
      for (const [name, input] of Object.entries(rest)) if (isGiven(given[name] ?? null)) write(input, given[name]);
    },
    fail(errors) {
      for (const error of errors) if (nameOf(error) in inputs) showProblem(inputs[nameOf(error)], messageOf(error));
      return errors.filter((error) => !(nameOf(error) in inputs));
    },
    clear: () => Object.values(inputs).forEach(check),
  };
}

/** The field of ε and those of `names` in the form; `show(values)` follows them, and `onChange()` after a change. */
export function createLevel(names, { onChange, show }) {
  const changed = () => {
    show(fields.values());
    onChange();
  };
  const epsilon = createEpsilon($("main"), { onChange: changed });
  const inputs = names.map((/** @type {string} */ name) => [name, $(`#${name}`)]);
  const fields = numberFields({ epsilon, ...Object.fromEntries(inputs) }, changed);
  show(fields.values());
  return {
    ...fields,
    set(given) {
      fields.set(given);
      show(fields.values());
    },
  };
}
