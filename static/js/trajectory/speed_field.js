/* The step variance from a speed, which is public knowledge. */

import { createNumber, valueOf } from "../components/number_field.js";
import { $, el } from "../core/dom.js";
import { number, whole } from "../core/format.js";

const FIELD = "step_variance_m2";
const KMH = 3.6;
let made = 0;

/** q per axis in m² of moving at `kmh` for `seconds`: half of the distance squared, since there are two axes. */
export const stepVariance = (kmh, seconds) => ((kmh / KMH) * seconds) ** 2 / 2;

/** Put "q from speed" under the step variance among `fields` in `host`, if there is one. */
export function addSpeed(host, fields, onChange) {
  const field = $(`[data-field=${FIELD}]`, host);
  if (!field) return;
  const id = `speed-${(made += 1)}`;
  const input = (name, label) => {
    const { input: control, error } = createNumber({ minimum: 0 }, { id: `${id}-${name}`, oninput: apply });
    return {
      control,
      element: el(
        "div",
        { class: "speed__one" },
        el("label", { class: "small", for: control.id }, label),
        control,
        error,
      ),
    };
  };
  const [speed, time] = [input("v", "Typical speed, km/h"), input("t", "Between two events, s")];
  const formula = el("output", { class: "small" }, "q = (v·Δt)² / 2");

  function apply() {
    const [kmh, seconds] = [speed, time].map(({ control }) => valueOf(control) ?? NaN);
    if (!(kmh > 0 && seconds > 0)) {
      formula.textContent = "q = (v·Δt)² / 2";
      return;
    }
    const q = Number(stepVariance(kmh, seconds).toPrecision(3));
    formula.textContent = `q = (${whole((kmh / KMH) * seconds)} m)² / 2 = ${q < 10 ? number(q) : whole(q)} m²`;
    fields.clear();
    fields.set({ [FIELD]: q });
    onChange();
  }

  field.append(
    el(
      "details",
      { class: "speed" },
      el("summary", { class: "small" }, "q from speed"),
      el("div", { class: "speed__both" }, speed.element, time.element),
      formula,
      el(
        "p",
        { class: "field__help" },
        "From public knowledge only: a speed limit, a typical walking speed, the reporting interval of a " +
          "device. A value measured on this trace would disclose information about it.",
      ),
    ),
  );
}
