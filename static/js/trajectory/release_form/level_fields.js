/* The level of releases: a radius, by its name or typed, and ε, typed or on a slider. */

import { isGiven, write } from "../../components/number_field.js";
import { createEpsilon, numberFields } from "../../components/release_form/level_inputs.js";
import { $, $$ } from "../../core/dom.js";
import { metres } from "../../core/format.js";

const HARD = Math.log(9); // up to this level a 50:50 guess becomes 90 % certain at most

/**
 * The fields in `root`, the radius `radius_m` at first. Returns {values(), set(values), fail(errors) -> the others,
 * clear()}: in `values` a number that is missing is null and one that is refused NaN.
 */
export function createLevel(root, { radius_m, onChange }) {
  const [epsilon, radius] = [createEpsilon(root, { onChange: changed }), $("#radius", root)];
  const named = $$("[name=named_radius]", root);
  const own = named.at(-1);
  const chosen = () => named.find(({ checked }) => checked) ?? own;
  const fields = numberFields({ epsilon, radius_m: radius }, () => {
    own.checked = true;
    changed();
  });
  let last = radius_m; // what an empty field of the own radius begins with

  const values = () => ({ ...fields.values(), ...(chosen() !== own && { radius_m: Number(chosen().value) }) });

  function show() {
    const { epsilon: level, radius_m: metresApart } = values();
    radius.toggleAttribute("data-required", chosen() === own);
    if (isGiven(metresApart)) last = metresApart;
    const apart = $("[data-radius-text]", root);
    apart.hidden = !isGiven(metresApart);
    const hard = (level ?? 0) <= HARD ? "become hard" : "remain easy";
    apart.replaceChildren(`Places up to ${metres(metresApart)} apart ${hard} to distinguish.`);
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
    ...fields,
    values,
    set(given) {
      epsilon.set(given.epsilon);
      if (isGiven(given.radius_m ?? null)) setRadius(given.radius_m);
      show();
    },
  };
}
