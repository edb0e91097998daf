/* The purpose of the releases: publication, or a simulation that is repeatable from its seed. */

import { $ } from "../core/dom.js";
import { messageOf } from "../core/field_errors.js";
import { count } from "../core/format.js";
import { check, showProblem, valueOf, write } from "./number_field.js";

/** What the button of a release form does. @param {boolean} simulation @param {number} many @param {string} noun */
export const submitLabel = (simulation, many, noun = "release") =>
  simulation ? `Run ${count(many, "simulation")}, not private` : `Create ${count(many, noun)}`;

/** The choice in `host`: {seed() -> number or null, experiment(), set(seed), fail(errors) -> the others, clear()}. */
export function createPurpose(host, { onChange }) {
  const input = $("#seed", host);
  const experiment = () => $("[name=purpose]:checked", host).value === "experiment";

  function show() {
    input.disabled = !experiment();
    $("[data-purpose-seed]", host).hidden = !experiment();
  }
  const clear = () => (experiment() ? check(input) : showProblem(input, ""));
  host.addEventListener("input", () => {
    show();
    clear();
    onChange();
  });
  show();
  return {
    experiment,
    /** The seed of an experiment, NaN where it is missing or refused; null for what is to be published. */
    seed: () => (experiment() ? (valueOf(input) ?? NaN) : null),
    set(seed) {
      $(`[value=${seed === null ? "publishable" : "experiment"}]`, host).checked = true;
      if (seed !== null) write(input, seed);
      show();
    },
    fail(errors) {
      const own = errors.filter(({ field }) => (field ?? "").split(".").at(-1) === "seed");
      if (own.length) showProblem(input, messageOf(own[0]));
      return errors.filter((one) => !own.includes(one));
    },
    clear,
  };
}
