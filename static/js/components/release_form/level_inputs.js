/* Number fields above the table of a release form: {values(), set(values), fail(errors) -> the others, clear()}. */

import { messageOf } from "../../core/field_errors.js";
import { check, isGiven, showProblem, valueOf, write } from "../number_field.js";

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
