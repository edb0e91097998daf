/* Post-processing steps, as the composer and the smoothing dialog offer them; the step variance from a speed, which is
 * public knowledge.
 */

import { createNumber, valueOf } from "../components/number_field.js";
import { createSteps } from "../components/step_list.js";
import { $, el } from "../core/dom.js";
import { number, whole } from "../core/format.js";

const FIELD = "step_variance_m2";
const KMH = 3.6;
const FORMULA = "q = (v·Δt)² / 2";
let made = 0;

/** q per axis in m² of moving at `kmh` for `seconds`: half of the distance squared, since there are two axes. */
export const stepVariance = (kmh, seconds) => ((kmh / KMH) * seconds) ** 2 / 2;

/** Put "q from speed" under the step variance among `fields` in `host`, if there is one. */
export function addSpeed(host, fields, onChange) {
  const field = $(`[data-field=${FIELD}]`, host);
  if (!field) return;
  const id = `speed-${(made += 1)}`;
  const input = (name) => createNumber({ minimum: 0 }, { id: `${id}-${name}`, oninput: apply });
  const [speed, time] = [input("v"), input("t")];
  const partOf = ({ input: control, error }, label) =>
    el("div", {}, el("label", { class: "small", for: control.id }, label), control, error);
  const formula = el("output", { class: "small" }, FORMULA);

  function apply() {
    const [kmh, seconds] = [speed, time].map(({ input: control }) => valueOf(control) ?? NaN);
    formula.textContent = FORMULA;
    if (!(kmh > 0 && seconds > 0)) return;
    const q = Number(stepVariance(kmh, seconds).toPrecision(3));
    formula.textContent = `q = (${whole((kmh / KMH) * seconds)} m)² / 2 = ${q < 10 ? number(q) : whole(q)} m²`;
    fields.clear();
    fields.set({ [FIELD]: q });
    onChange();
  }

  const text =
    "From public knowledge only: a speed limit, a typical walking speed, the reporting interval of a " +
    "device. A value measured on this trace would disclose information about it.";
  const summary = el("summary", { class: "small" }, "q from speed");
  const both = [partOf(speed, "Typical speed, km/h"), partOf(time, "Between two events, s")];
  const help = el("p", { class: "field__help" }, text);
  field.append(
    el("details", { class: "speed" }, summary, el("div", { class: "speed__both stack" }, both), formula, help),
  );
}

const chip = (step) => el("span", { class: "chip" }, step.causal ? "works on live data" : "not on live data");

/** As createSteps, for steps after the noise. */
export const createAfter = (hosts, listed, { onChange, short = false }) =>
  createSteps(hosts, listed, { field: "postprocess", chip, extend: addSpeed, short, onChange });
