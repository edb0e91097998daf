/* How far apart the adversary's states lie at most: a level is per radius, and a loss grows with this distance. */

import { el } from "../../core/dom.js";
import { labelled } from "../../core/elements.js";
import { check, createNumber, ruleText, valueOf, write } from "../../components/number_field.js";

const RULE = { minimum: 0.01, maximum: 20_100_000, required: true };
const PAUSE_MS = 250;
let ids = 0;

/**
 * A number field with `value` in metres; `onChange(text)` after it was changed to a distance in the domain.
 * Returns {element, set(text), hide(on)}.
 */
export function createDistance(value, onChange) {
  const id = `states-apart-${(ids += 1)}`;
  const { input, error } = createNumber(RULE, { id, value: Number(value), describedby: [`${id}-help`] });
  const help = el(
    "p",
    { class: "field__help", id: `${id}-help` },
    "Upper bounds hold for states at most this far apart: ε within the radius r counts D / r times. " +
      "States farther apart leak more. ",
    ruleText(RULE),
  );
  const element = labelled(input, "Largest distance of states, D, m", help, error);
  element.dataset.field = "diameter_m";
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    if (check(input)) waiting = setTimeout(() => onChange(String(valueOf(input))), PAUSE_MS);
  });
  return {
    element,
    set(text) {
      clearTimeout(waiting);
      write(input, Number(text));
    },
    hide: (on) => (element.hidden = on),
  };
}
