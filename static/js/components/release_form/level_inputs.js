/* Number fields above the table of a release form: the level ε, typed or on a slider, what it means for odds and for a
 * guess, and the parameters beside it.
 */

import { $ } from "../../core/dom.js";
import { messageOf } from "../../core/field_errors.js";
import { check, isGiven, showProblem, valueOf, write } from "../number_field.js";
import { quantity } from "../../core/elements.js";
import { logarithmic, STEPS } from "../form_fields.js";
import { number } from "../../core/format.js";
import { floorOf } from "../submit_bar.js";

/** The inputs by the names of their parameters, `epsilon` of level_inputs.js. @returns {any} */
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

const SLIDER = logarithmic({ example: 1, minimum: null, maximum: null, whole: false });

/** The fields of templates/releases/common/_epsilon.html in `root`: {input, value(), set(value)}. */
export function createEpsilon(root, { onChange }) {
  const [input, slider, text] = ["#epsilon", "[data-epsilon-slider]", "[data-epsilon-text]"].map((one) => $(one, root));

  function show() {
    const level = valueOf(input);
    if (isGiven(level)) slider.value = String(SLIDER.position(level));
    slider.style.setProperty("--at", `${(100 * Number(slider.value)) / STEPS}%`);
    text.hidden = !isGiven(level);
    const guess = guessText(level ?? 0);
    text.replaceChildren(`A 50:50 guess becomes ${/^\d/.test(guess) ? "at most " : ""}`, quantity("guess", guess), ".");
  }
  function changed() {
    show();
    onChange();
  }

  Object.assign(slider, { min: "0", max: String(STEPS) });
  slider.addEventListener("input", () => {
    write(input, SLIDER.value(Number(slider.value)));
    changed();
  });
  input.addEventListener("input", changed);
  show();
  return {
    input,
    value: () => valueOf(input),
    set(value) {
      if (isGiven(value ?? null)) write(input, value);
      show();
    },
  };
}

/** A bound with `digits` significant digits, never rounded down. */
function atMost(value, digits) {
  const unit = 10 ** (Math.floor(Math.log10(value)) - digits + 1);
  return number(Math.ceil(value / unit - 1e-9) * unit, digits);
}

/** By how much odds differ at most, "2.72"; "e^20" where it is too large to be read. */
export function factorText(power) {
  const value = Math.exp(power);
  return value < 1e9 ? atMost(value, value < 1.1 ? 5 : 3) : `e^${number(power)}`;
}

/** What a 50:50 guess becomes at most, "73.2 %"; never certainty. */
export function guessText(power) {
  const share = 100 / (1 + Math.exp(-power));
  return share > 99.9 ? "over 99.9\u202f%" : `${atMost(share, share < 52.5 ? 4 : 3)}\u202f%`;
}

/** The largest ε of three digits at which a guess is right with at most this share. */
export const levelOfGuess = (share) => floorOf(Math.log(share / (1 - share)));
