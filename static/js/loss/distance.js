/* How far apart the adversary's states lie at most: a level is per radius, and a loss grows with this distance. */

import { el } from "../dom.js";

const [LEAST, MOST] = [0.01, 20_100_000];
const PAUSE_MS = 250;
let ids = 0;

/**
 * A number field with `value` in metres; `onChange(text)` after it was changed to a distance in the domain.
 * Returns {element, set(text), hide(on)}.
 */
export function createDistance(value, onChange) {
  const id = `states-apart-${(ids += 1)}`;
  const input = el("input", { id, type: "number", step: "any", min: String(LEAST), max: String(MOST), inputmode: "decimal", required: true, value, "aria-describedby": `${id}-help ${id}-error` });
  const help = el("p", { class: "field__help", id: `${id}-help` }, "Upper bounds hold for states at most this far apart: ε within the radius r counts D / r times. States farther apart leak more.");
  const error = el("p", { class: "field__error", id: `${id}-error`, role: "alert", hidden: true });
  const element = el("div", { class: "field", dataset: { field: "diameter_m" } }, el("label", { for: id }, "How far apart states lie at most, D, m"), input, help, error);
  let waiting;
  function fail(message) {
    error.textContent = message;
    error.hidden = !message;
    if (message) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const metres = Number(input.value);
      const right = input.value !== "" && metres >= LEAST && metres <= MOST;
      fail(right ? "" : "Give a distance from 0.01 to 20,100,000 metres.");
      if (right) onChange(input.value);
    }, PAUSE_MS);
  });
  return {
    element,
    set(text) {
      clearTimeout(waiting);
      if (input.value !== text) input.value = text;
      fail("");
    },
    hide: (on) => (element.hidden = on),
  };
}
