/* What the releases are for: to go out, or to be repeated. A seed is the whole difference. */

import { $, $$ } from "../../core/dom.js";
import { messageOf } from "../../core/field_errors.js";
import { check, showProblem, valueOf, write } from "../../components/number_field.js";

/**
 * The choice in `host`. Returns {seed() -> number or null, experiment(), set(seed), fail(errors) -> the others,
 * clear()}.
 */
export function createPurpose(host, { onChange }) {
  const input = $("#seed", host);
  const experiment = () => $("[name=purpose]:checked", host).value === "experiment";

  function show() {
    input.disabled = !experiment();
    for (const radio of $$("[name=purpose]", host))
      radio.closest(".purpose__one").classList.toggle("purpose__one--on", radio.checked);
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
