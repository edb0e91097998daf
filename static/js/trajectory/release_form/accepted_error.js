/* From an error that is accepted to the least ε: the server computes it from the original, for its owner alone. */

import { createForecast } from "../../components/forecast_request.js";
import { isGiven, valueOf } from "../../components/number_field.js";
import { $ } from "../../core/dom.js";
import { quantity } from "../../core/elements.js";
import { sentenceOf } from "../../core/field_errors.js";
import { number } from "../../core/format.js";

/**
 * The line `host`. `requested()` is {dataset, landmark_set, releases} of what to state it for, null for nothing and
 * undefined while that is not known; `use(epsilon)` sets the level. Returns {update()}.
 */
export function createAcceptedError(host, { url, requested, use }) {
  const [field, figure, text, button] = ["#accepted", "[name=figure]", "output", "button"].map((one) => $(one, host));
  const forecast = createForecast(url, { show, fail: (errors) => clear(errors.map(sentenceOf).join(" ")) });
  let epsilon = 1;

  function clear(note = "") {
    forecast.stop();
    text.replaceChildren(note);
    button.hidden = true;
  }
  function show({ mechanisms }) {
    const [known, none] = [
      mechanisms.filter((one) => one.epsilon !== null),
      mechanisms.filter((one) => one.epsilon === null),
    ];
    known.sort((a, b) => a.epsilon - b.epsilon);
    const of = ({ title, epsilon: level, postprocess, name }, i) => [
      i ? ", " : "→ needs ε ",
      quantity(`least_epsilon:${[name, ...postprocess.map((step) => step.name)].join("+")}`, number(level)),
      ` with ${title}`,
    ];
    const without = none.length
      ? `${known.length ? "; " : "→ "}none with ${none.map(({ title }) => title).join(", ")}: `
      : "";
    text.replaceChildren(...known.flatMap(of), without && `${without}repeated positions alone are off by more`);
    button.hidden = !known.length;
    if (!known.length) return;
    epsilon = known[0].epsilon;
    button.textContent = `Use ε ${number(epsilon)}`;
    if (!known[0].fits) text.append(", over budget");
  }
  function update() {
    const [body, accepted_m] = [requested(), valueOf(field)];
    if (body === null || !isGiven(accepted_m)) clear();
    else if (body && forecast.request({ ...body, accepted_m, figure: figure.value })) {
      text.replaceChildren("→ …");
      button.hidden = true;
    }
  }

  button.addEventListener("click", () => use(epsilon));
  host.addEventListener("input", update);
  return { update };
}
