/* The level of releases: a radius, by its name or typed, and ε, typed or on a slider. */

import { logarithmic, STEPS } from "../../components/form_fields.js";
import { check, isGiven, showProblem, valueOf, write } from "../../components/number_field.js";
import { $, $$ } from "../../core/dom.js";
import { quantity } from "../../core/elements.js";
import { messageOf } from "../../core/field_errors.js";
import { metres } from "../../core/format.js";
import { guessText } from "./odds_table.js";

const SLIDER = logarithmic({ example: 1, minimum: null, maximum: null, whole: false });

/**
 * The fields in `root`, the radius `radius_m` at first. Returns {values(), set(values), fail(errors) -> the others,
 * clear()}: in `values` a number that is missing is null and one that is refused NaN.
 */
export function createLevel(root, { radius_m, onChange }) {
  const [epsilon, slider, radius] = ["#epsilon", "[data-epsilon-slider]", "#radius"].map((one) => $(one, root));
  const named = $$("[name=named_radius]", root);
  const own = named.at(-1);
  const chosen = () => named.find(({ checked }) => checked) ?? own;
  const inputs = { epsilon, radius_m: radius };
  let last = radius_m; // what an empty field of the own radius begins with

  const values = () => ({
    epsilon: valueOf(epsilon),
    radius_m: chosen() === own ? valueOf(radius) : Number(chosen().value),
  });

  function show() {
    const { epsilon: level, radius_m: metresApart } = values();
    radius.toggleAttribute("data-required", chosen() === own);
    if (isGiven(level)) slider.value = String(SLIDER.position(level));
    slider.style.setProperty("--at", `${(100 * Number(slider.value)) / STEPS}%`);
    if (isGiven(metresApart)) last = metresApart;
    const [apart, guess] = [$("[data-radius-text]", root), $("[data-epsilon-text]", root)];
    apart.hidden = !isGiven(metresApart);
    apart.replaceChildren(`Places up to ${metres(metresApart)} apart become hard to distinguish.`);
    guess.hidden = !isGiven(level);
    const text = guessText(level ?? 0);
    guess.replaceChildren(`A 50:50 guess becomes ${/^\d/.test(text) ? "at most " : ""}`, quantity("guess", text), ".");
  }
  function changed() {
    show();
    onChange();
  }
  function setRadius(value) {
    const one = named.find((radio) => Number(radio.value) === value) ?? own;
    one.checked = true;
    write(radius, one === own ? value : "");
  }

  Object.assign(slider, { min: "0", max: String(STEPS) });
  slider.addEventListener("input", () => {
    write(epsilon, SLIDER.value(Number(slider.value)));
    changed();
  });
  epsilon.addEventListener("input", changed);
  radius.addEventListener("input", () => {
    own.checked = true;
    changed();
  });
  for (const radio of named)
    radio.addEventListener("change", () => {
      if (radio !== own) write(radius, "");
      else if (!radius.value) write(radius, last);
      if (radio === own && document.activeElement === radio) radius.select();
      changed();
    });
  setRadius(radius_m);
  show();
  return {
    values,
    set(given) {
      if (isGiven(given.epsilon ?? null)) write(epsilon, given.epsilon);
      if (isGiven(given.radius_m ?? null)) setRadius(given.radius_m);
      show();
    },
    fail(errors) {
      const nameOf = ({ field }) => (field ?? "").split(".").at(-1);
      for (const error of errors) if (nameOf(error) in inputs) showProblem(inputs[nameOf(error)], messageOf(error));
      return errors.filter((error) => !(nameOf(error) in inputs));
    },
    clear: () => Object.values(inputs).forEach(check),
  };
}
