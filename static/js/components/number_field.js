/* Number fields on pages: they keep what was typed, show their rule and what breaks it, and block a form that is wrong.
 * An input with `data-number` is one, whether a script or a template made it; importing this module attaches the keys.
 */

import { readNumber, readNumbers, ruleSentence, steppedText, writtenNumber } from "../core/number_text.js";
import { el } from "../core/dom.js";

const RULES = ["minimum", "maximum"];
const FLAGS = ["whole", "required"];
const present = (value) => value !== null && value !== undefined;
let made = 0;

/** The rule that an input carries. */
function ruleOf({ dataset }) {
  const bounds = RULES.filter((name) => dataset[name]).map((name) => [name, Number(dataset[name])]);
  return Object.fromEntries([...bounds, ...FLAGS.map((name) => [name, name in dataset])]);
}

const isList = ({ dataset }) => dataset.number === "list";

/** What is typed into a field of one number: {value, text, problem}. */
export const readingOf = (input) => readNumber(input.value, ruleOf(input));

/** What is typed into a field of a list: {values, texts, problem}. */
export const listReadingOf = (input) => readNumbers(input.value, ruleOf(input));

/** What is wrong with the typed text; "" if nothing is. */
const problemOf = (input) => (isList(input) ? listReadingOf : readingOf)(input).problem;

/** Whether a number is there to be sent: neither missing nor refused. */
export const isGiven = (value) => value !== null && !Number.isNaN(value);

/** The number of a field: null where it is empty, NaN where what is typed is refused. */
export const valueOf = (input) => readingOf(input).value;

/** The typed numbers of `root`'s named number fields by name, without empty and refused ones. */
export function numbersOf(root) {
  const inputs = [...root.querySelectorAll("input[data-number][name]")].filter((input) => !input.disabled);
  const found = inputs.map((input) => [input.name, valueOf(input)]);
  return Object.fromEntries(found.filter(([, value]) => isGiven(value)));
}

/** What is filled in in a form, numbers as numbers. */
export const filledIn = (form) => ({
  ...Object.fromEntries([...new FormData(form)].filter(([, value]) => value)),
  ...numbersOf(form),
});

/**
 * A number input. `rule` = {minimum, maximum, whole, required}; `attributes` as `el` takes them, `list` for several
 * numbers, `describedby` the ids of other descriptions. Returns {input, error}: the error's place goes below the input.
 *
 * @param {NumberRule} rule
 * @param {Record<string, any>} options
 */
export function createNumber(
  rule,
  { id = `number-${(made += 1)}`, value = null, list = false, describedby = [], dataset = {}, ...attributes } = {},
) {
  const bounds = Object.fromEntries(
    RULES.filter((name) => present(rule[name])).map((name) => [name, String(rule[name])]),
  );
  const flags = Object.fromEntries(FLAGS.filter((name) => rule[name]).map((name) => [name, ""]));
  const error = el("p.field__error", { id: `${id}-error`, role: "alert", hidden: true });
  const input = el("input", {
    class: "input",
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    spellcheck: "false",
    id,
    "aria-required": rule.required ? "true" : null,
    "aria-describedby": [...describedby, error.id].join(" "),
    dataset: { ...dataset, number: list ? "list" : "", ...bounds, ...flags },
    ...attributes,
  });
  write(input, value);
  return { input, error };
}

/** The rule of a field as text for screen readers: the error of what breaks it states it to all. */
export const ruleText = (rule) =>
  el(
    "span.field__rule.visually-hidden",
    ruleSentence(Object.fromEntries(Object.entries(rule).filter(([, value]) => present(value)))),
  );

/** Put a number into a field: what is typed stays if it is that number. A text is put in as it is. */
export function write(input, value) {
  if (typeof value === "string") input.value = value;
  else if (input.value === "" || readingOf(input).value !== value) input.value = writtenNumber(value, ruleOf(input));
  showProblem(input, input.value ? problemOf(input) : "");
}

/** Show `message` beside an input, which is then marked as wrong; "" takes both away. */
export function showProblem(input, message) {
  const place = document.getElementById(`${input.id}-error`) ?? input.closest(".field")?.querySelector(".field__error");
  if (place && place.textContent !== message) place.textContent = message;
  if (place) place.hidden = !message;
  if (message) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

/** Show what is wrong with what is typed, or that nothing is; whether it may be sent. */
export function check(input) {
  const problem = problemOf(input);
  showProblem(input, problem);
  return !problem;
}

const isShown = (input) => !input.disabled && !input.closest("[hidden]");

/** The fields of `root` that may not be sent as they are, without showing anything. */
export const invalidIn = (root) =>
  [...root.querySelectorAll("input[data-number]")].filter((input) => isShown(input) && problemOf(input));

/** Show what is wrong in `root` and go to the first wrong field; whether there is one, so that nothing may be sent. */
export function refuseInvalid(root) {
  const wrong = invalidIn(root);
  wrong.forEach(check);
  if (wrong.length) reveal(wrong[0]);
  return wrong.length > 0;
}

/** Focus a field, and open what it is folded away in. */
export function reveal(input) {
  for (let fold = input.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])"))
    fold.open = true;
  input.focus();
}

// Keys, as in the browser's own number fields ---------------------------------------------------

/** One more or one less, as {@link steppedText} has it. */
function step(input, by) {
  const text = steppedText(input.value, by, ruleOf(input));
  if (text === null) return;
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

const isNumber = (target) => target instanceof HTMLInputElement && "number" in target.dataset;

const page = globalThis.document; // none in unit tests
page?.addEventListener("input", ({ target }) => isNumber(target) && check(/** @type {any} */ (target)), {
  capture: true,
});
page?.addEventListener("keydown", (event) => {
  const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  const { target, ctrlKey, altKey, metaKey } = /** @type {any} */ (event);
  if (!by || !isNumber(target) || isList(target) || event.defaultPrevented || ctrlKey || altKey || metaKey) return;
  event.preventDefault();
  step(target, by);
});
