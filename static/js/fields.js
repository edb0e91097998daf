/* Form fields out of a description: what the API lists of a mechanism or a way to mark landmarks. */

import { duration, el, metres, percent } from "./dom.js";

const SPAN = 100; // a slider reaches from a hundredth of the example to a hundred times
const STEPS = 400;

const controlOf = (field, controls) => controls[field.control] ?? (field.choices.length ? choiceField : field.text ? textField : numberField);
const HINTS = { s: duration, m: metres };
const isShare = ({ minimum, maximum }) => minimum === 0 && maximum === 1;
const isSeed = ({ whole, maximum }) => whole && maximum >= Number.MAX_SAFE_INTEGER; // no seed is nearer than another
const hintOf = (field) => HINTS[field.unit] ?? (isShare(field) ? percent : null);
let ids = 0;

/**
 * Controls for `fields` in `host`. `onChange(name)` after every change of the field of that name; `controls` are those
 * beside numbers, texts and choices, by the name that a field's `control` has.
 * Returns {values(), all(), set(values), fail(errors), clear(), disable(on)}; `all` has null for what was left empty.
 */
export function createFields(host, fields, { onChange, controls: more = {} }) {
  const controls = fields.map((field) => controlOf(field, more)(field, onChange));
  host.replaceChildren(...controls.map(({ element }) => element));
  return {
    values: () => Object.fromEntries(controls.map(({ field, value }) => [field.name, value()]).filter(([, value]) => value !== undefined)),
    all: () => Object.fromEntries(controls.map(({ field, value }) => [field.name, value() ?? null])),
    set: (values) => controls.forEach(({ field, set }) => field.name in values && set(values[field.name])),
    /** Show the errors that name one of these fields; returns the others. */
    fail(errors) {
      return errors.filter((error) => {
        const path = (error.field ?? "").split(".");
        const found = controls.find(({ field }) => path.at(-1) === field.name) ?? controls.find(({ field }) => path.includes(field.name));
        found?.fail(error.message);
        return !found;
      });
    },
    clear: () => controls.forEach(({ fail }) => fail("")),
    disable: (on) => controls.forEach(({ element }) => element.querySelectorAll("input, select").forEach((input) => (input.disabled = on))),
  };
}

/** A field around its inputs: label, unit, help, error. Returns {element, fail(message)}. */
export function frame(field, inputs, input, hint) {
  const id = `field-${field.name}-${(ids += 1)}`;
  input.id = id;
  const help = field.help ? el("p", { class: "field__help", id: `${id}-help` }, field.help) : null;
  const error = el("p", { class: "field__error", id: `${id}-error`, role: "alert", hidden: true });
  input.setAttribute("aria-describedby", [help && help.id, error.id].filter(Boolean).join(" "));
  const label = el("label", { for: id }, field.label, field.symbol ? ` ${field.symbol}` : "", field.unit ? `, ${field.unit}` : "");
  const element = el("div", { class: "field", dataset: { field: field.name } }, el("div", { class: "row row--apart" }, label, hint), inputs, help, error);
  const fail = (message) => {
    error.textContent = message;
    error.hidden = !message;
    if (message) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  return { element, fail };
}

function numberField(field, onChange) {
  const start = field.default ?? field.example ?? "";
  const input = el("input", { type: "number", step: field.whole ? "1" : "any", min: field.minimum, max: field.maximum, required: field.required, inputmode: "decimal", value: String(start), placeholder: field.required ? null : "none" });
  const scale = isShare(field) ? SHARES : field.example && !isSeed(field) ? logarithmic(field) : null;
  const slider = scale && el("input", { type: "range", min: "0", max: String(STEPS), "aria-label": `${field.label}, slider`, class: "field__slider" });
  const hint = el("output", { class: "small muted" });
  const show = () => {
    const value = input.valueAsNumber;
    hint.textContent = Number.isFinite(value) ? (hintOf(field)?.(value) ?? "") : "";
    if (slider && (value > 0 || isShare(field))) slider.value = String(scale.position(value));
  };
  const { element, fail } = frame(field, el("div", { class: "field__number" }, slider, input), input, hint);
  const changed = () => {
    fail("");
    show();
    onChange(field.name);
  };
  input.addEventListener("input", changed);
  slider?.addEventListener("input", () => {
    input.value = String(scale.value(Number(slider.value)));
    changed();
  });
  show();
  return {
    field, element, fail,
    value: () => (input.value === "" ? (field.required ? null : undefined) : input.valueAsNumber),
    set(value) {
      input.value = value === null ? "" : String(value);
      show();
    },
  };
}

const SHARES = { value: (position) => position / STEPS, position: (value) => Math.round(value * STEPS) };

/** A logarithmic slider around the field's example; two significant digits. */
function logarithmic({ example, minimum, maximum, whole }) {
  const low = Math.log(Math.max(minimum || 0, example / SPAN));
  const high = Math.log(Math.min(maximum ?? Infinity, example * SPAN));
  const rounded = whole ? Math.round : (value) => value;
  return {
    value: (position) => rounded(Number(Math.exp(low + ((high - low) * position) / STEPS).toPrecision(2))),
    position: (value) => Math.round((STEPS * (Math.log(value) - low)) / (high - low)),
  };
}

function textField(field, onChange) {
  const input = el("input", { class: "input", type: "text", required: field.required, autocomplete: "off", value: String(field.default ?? field.example ?? "") });
  const { element, fail } = frame(field, input, input, null);
  input.addEventListener("input", () => {
    fail("");
    onChange();
  });
  return { field, element, fail, value: () => input.value, set: (value) => (input.value = String(value)) };
}

function choiceField(field, onChange) {
  const options = field.choices.map(({ value, label }) => el("option", { value: String(value), selected: value === field.default }, String(label)));
  const select = el("select", { class: "input" }, options);
  const { element, fail } = frame(field, select, select, null);
  select.addEventListener("change", () => {
    fail("");
    onChange(field.name);
  });
  return {
    field, element, fail,
    value: () => field.choices[select.selectedIndex].value,
    set: (value) => (select.value = String(value)),
  };
}
