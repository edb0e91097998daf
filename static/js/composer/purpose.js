/* What the releases are for: to go out, or to be repeated. A seed is the whole difference. */

import { $, $$ } from "../dom.js";

/** The choice in `host`. Returns {seed() -> number or null, experiment(), set(seed), fail(errors) -> the others, clear()}. */
export function createPurpose(host, { onChange }) {
  const [input, error] = [$("#seed", host), $("#seed-error", host)];
  const experiment = () => $("[name=purpose]:checked", host).value === "experiment";

  function show() {
    input.disabled = !experiment();
    for (const radio of $$("[name=purpose]", host)) radio.closest(".purpose__one").classList.toggle("purpose__one--on", radio.checked);
  }
  function tell(message) {
    error.textContent = message;
    error.hidden = !message;
    if (message) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
  host.addEventListener("input", () => {
    tell("");
    show();
    onChange();
  });
  show();
  return {
    experiment,
    /** The seed of an experiment, NaN where it is missing; null for what is to be published. */
    seed: () => (experiment() ? input.valueAsNumber : null),
    set(seed) {
      $(`[value=${seed === null ? "publishable" : "experiment"}]`, host).checked = true;
      if (seed !== null) input.value = String(seed);
      show();
    },
    fail(errors) {
      const own = errors.filter(({ field }) => (field ?? "").split(".").at(-1) === "seed");
      if (own.length) tell(own[0].message);
      return errors.filter((one) => !own.includes(one));
    },
    clear: () => tell(""),
  };
}
