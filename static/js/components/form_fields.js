/* Form fields out of a description: what the API lists of a mechanism or a way to mark landmarks. */

import { check, createNumber, ruleText, showProblem, valueOf, write } from "./number_field.js";
import { el } from "../core/dom.js";
import { errorPlace } from "../core/elements.js";
import { learnLabels, messageOf } from "../core/field_errors.js";
import { duration, metres, percent } from "../core/format.js";

const SPAN = 100; // a slider reaches from a hundredth of the example to a hundred times
export const STEPS = 400;

const controlOf = (field, controls) =>
  controls[field.control] ?? (field.choices.length ? choiceField : field.text ? textField : numberField);
const HINTS = { s: duration, m: metres };
export const isShare = ({ minimum, maximum }) => minimum === 0 && maximum === 1;
/** Of seeds none is nearer than another. */
export const isSeed = ({ whole, maximum }) => whole && maximum >= Number.MAX_SAFE_INTEGER;
export const hintOf = (field) => HINTS[field.unit] ?? (isShare(field) ? percent : null);
let ids = 0;

/**
 * Controls for `fields` in `host`. `onChange(name)` after every change of the field of that name; `controls` are those
 * beside numbers, texts and choices, by the name that a field's `control` has.
 * Returns {values(), all(), set(values), fail(errors), clear(), disable(on)}. In `values` a number that is missing is
 * null and one that is refused NaN; `all` has null for what was left empty, and the text of what is refused.
 */
export function createFields(host, fields, { onChange, controls: more = {} }) {
  learnLabels(fields);
  const controls = fields.map((field) => controlOf(field, more)(field, onChange));
  host.replaceChildren(...controls.map(({ element }) => element));
  return {
    values: () =>
      Object.fromEntries(
        controls.map(({ field, value }) => [field.name, value()]).filter(([, value]) => value !== undefined),
      ),
    all: () =>
      Object.fromEntries(controls.map(({ field, value, rawValue = value }) => [field.name, rawValue() ?? null])),
    set: (values) => controls.forEach(({ field, set }) => field.name in values && set(values[field.name])),
    /** Show the errors that name one of these fields; returns the others. */
    fail(errors) {
      return errors.filter((error) => {
        const path = (error.field ?? "").split(".");
        const found =
          controls.find(({ field }) => path.at(-1) === field.name) ??
          controls.find(({ field }) => path.includes(field.name));
        found?.fail(messageOf(error));
        return !found;
      });
    },
    clear: () => controls.forEach(({ fail, clear = () => fail("") }) => clear()),
    disable: (on) =>
      controls.forEach(({ element }) =>
        element.querySelectorAll("input, select").forEach((input) => (input.disabled = on)),
      ),
  };
}

/** Fields that every one of `described` has, shown once. */
export function commonFields(described) {
  const names = described.map(({ fields }) => new Set(fields.map(({ name }) => name)));
  return described[0].fields.filter(({ name }) => names.every((own) => own.has(name)));
}

/** A field around its inputs: label, unit, help, error. Returns {element, fail(message)}. */
export function frame(field, inputs, input, hint) {
  const id = `field-${field.name}-${(ids += 1)}`;
  input.id = id;
  const rule = "number" in input.dataset && ruleText(field);
  const help =
    field.help || rule ? el("p.field__help", { id: `${id}-help` }, field.help, field.help && rule && " ", rule) : null;
  const error = errorPlace({ id: `${id}-error` });
  input.setAttribute("aria-describedby", [help && help.id, error.id].filter(Boolean).join(" "));
  const label = el(
    "label",
    { for: id },
    field.label,
    field.symbol ? ` ${field.symbol}` : "",
    field.unit && el("span", { class: input.closest(".field__unit") && "visually-hidden" }, `, ${field.unit}`),
  );
  const element = el(
    "div.field",
    { dataset: { field: field.name } },
    el("div.row.apart", label, hint),
    inputs,
    help,
    error,
  );
  return { element, fail: (message) => showProblem(input, message) };
}

/** An input with its unit at the end of it. */
const withUnit = ({ unit }, input) =>
  unit ? el("span.field__unit", { dataset: { unit }, style: { "--unit": `${unit.length}ch` } }, input) : input;

function numberField(field, onChange) {
  const { input } = createNumber(field, {
    class: null,
    value: field.default ?? field.example ?? null,
    placeholder: field.required ? null : "none",
  });
  const positive = !(field.minimum < 0); // the slider is logarithmic
  /** @type {any} */
  const scale = isShare(field) ? SHARES : field.example && positive && !isSeed(field) ? logarithmic(field) : null;
  const slider =
    scale &&
    el("input.field__slider", { type: "range", min: "0", max: String(STEPS), "aria-label": `${field.label}, slider` });
  const hint = el("output.small.muted");
  const show = () => {
    const value = valueOf(input);
    hint.textContent = value !== null && Number.isFinite(value) ? (hintOf(field)?.(value) ?? "") : "";
    if (slider && value !== null && (value > 0 || (value === 0 && isShare(field))))
      slider.value = String(scale.position(value));
  };
  const { element, fail } = frame(field, el("div.field__number.stack", slider, withUnit(field, input)), input, hint);
  const changed = () => {
    show();
    onChange(field.name);
  };
  input.addEventListener("input", changed);
  slider?.addEventListener("input", () => {
    write(input, scale.value(Number(slider.value)));
    changed();
  });
  show();
  const value = () => valueOf(input) ?? (field.required ? null : undefined);
  return {
    field,
    element,
    fail,
    value,
    rawValue: () => (Number.isNaN(value()) ? input.value : value()),
    clear: () => (input.value === "" ? fail("") : check(input)),
    set(to) {
      write(input, to);
      show();
    },
  };
}

export const SHARES = { value: (position) => position / STEPS, position: (value) => Math.round(value * STEPS) };

/** A logarithmic slider around the field's example; two significant digits. */
export function logarithmic({ example, minimum, maximum, whole }) {
  const low = Math.log(Math.max(minimum || 0, example / SPAN));
  const high = Math.log(Math.min(maximum ?? Infinity, example * SPAN));
  const rounded = whole ? Math.round : (value) => value;
  return {
    value: (position) => rounded(Number(Math.exp(low + ((high - low) * position) / STEPS).toPrecision(2))),
    position: (value) => Math.round((STEPS * (Math.log(value) - low)) / (high - low)),
  };
}

function textField(field, onChange) {
  const input = el("input.input", {
    type: "text",
    required: field.required,
    autocomplete: "off",
    value: String(field.default ?? field.example ?? ""),
  });
  const { element, fail } = frame(field, input, input, null);
  input.addEventListener("input", () => {
    fail("");
    onChange();
  });
  const value = () => input.value || (field.required ? "" : undefined);
  return { field, element, fail, value, set: (to) => (input.value = String(to ?? "")) };
}

function choiceField(field, onChange) {
  const options = field.choices.map(({ value, label }) =>
    el("option", { value: String(value), selected: value === field.default }, String(label)),
  );
  const select = el("select.input", options);
  const { element, fail } = frame(field, select, select, null);
  select.addEventListener("change", () => {
    fail("");
    onChange(field.name);
  });
  return {
    field,
    element,
    fail,
    value: () => field.choices[select.selectedIndex].value,
    set: (value) => (select.value = String(value)),
  };
}
