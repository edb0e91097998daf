/* The level ε of a release form, typed or on a slider, and what it means for a guess. */

import { $ } from "../../core/dom.js";
import { quantity } from "../../core/elements.js";
import { logarithmic, STEPS } from "../form_fields.js";
import { isGiven, valueOf, write } from "../number_field.js";
import { guessText } from "./odds.js";

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
