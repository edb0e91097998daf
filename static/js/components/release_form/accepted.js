/* From what is accepted to the least ε: the server computes it from the original, for its owner alone. */

import { $ } from "../../core/dom.js";
import { quantity } from "../../core/elements.js";
import { sentenceOf } from "../../core/field_errors.js";
import { number } from "../../core/format.js";
import { createForecast } from "../forecast_request.js";
import { isGiven, valueOf } from "../number_field.js";

/**
 * The line `host`. `requested()` is what to state it for, null for nothing and undefined while that is not known, and
 * `bodyOf(accepted)` what is sent beside it; `none` is why there may be no such ε, `titleOf(key)` the title of a
 * release by the names of its mechanism and steps, and `use(epsilon)` sets the level. Returns {update()}.
 */
export function createAccepted(host, { url, requested, bodyOf, none: why, use, titleOf }) {
  const [field, text, button] = ["#accepted", "output", "button"].map((one) => $(one, host));
  const forecast = createForecast(url, { show, fail: (errors) => clear(errors.map(sentenceOf).join(" ")) });
  let epsilon = 1;

  function clear(note = "") {
    forecast.stop();
    text.replaceChildren(note);
    button.hidden = true;
  }
  function show({ mechanisms, left_out: late = [] }) {
    const keyOf = ({ name, postprocess = [] }) => [name, ...postprocess.map((step) => step.name)].join("+");
    const called = (one) => titleOf(keyOf(one));
    const [known, none] = [true, false].map((isKnown) =>
      mechanisms.filter((one) => (one.epsilon !== null) === isKnown),
    );
    known.sort((a, b) => a.epsilon - b.epsilon);
    const of = (one, i) => [
      i ? ", " : "→ needs ε ",
      quantity(`least_epsilon:${keyOf(one)}`, number(one.epsilon)),
      ` with ${called(one)}`,
    ];
    const without = none.length ? `${known.length ? "; " : "→ "}none with ${none.map(called).join(", ")}: ` : "";
    const ended = late.length
      ? `${mechanisms.length ? "; " : ""}${late.map(titleOf).join(", ")}: the search takes too long`
      : "";
    text.replaceChildren(...known.flatMap(of), without && `${without}${why}`, ended);
    button.hidden = !known.length;
    if (!known.length) return;
    epsilon = known[0].epsilon;
    button.textContent = `Use ε ${number(epsilon)}`;
    if (!known[0].fits) text.append(", over budget");
  }
  function update() {
    const [body, accepted] = [requested(), valueOf(field)];
    if (body === null || !isGiven(accepted)) clear();
    else if (body && forecast.request({ ...body, ...bodyOf(accepted) })) {
      text.replaceChildren("→ …");
      button.hidden = true;
    }
  }

  button.addEventListener("click", () => use(epsilon));
  host.addEventListener("input", update);
  return { update };
}
