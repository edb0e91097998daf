/* The ways to choose dummies as cards, one of them chosen: those with a promise for the landmarks first, the others
   below the text that states why they have none. */

import { el } from "../../core/dom.js";
import { errorPlace, list, showText } from "../../core/elements.js";
import { sentenceOf } from "../../core/field_errors.js";
import { createFields } from "../../components/form_fields.js";

const GROUPS = [
  [true, "With a guarantee for the landmarks"],
  [false, "Without a guarantee"],
];

/**
 * Cards in `host`, the first chosen. `onChange()` after every change.
 * Returns {chosen() -> the listed method, values() -> its description, fail(errors) -> those without a place, clear()}.
 */
export function createMethodCards(host, methods, { onChange }) {
  const cards = [];
  const make = (method) => {
    cards.push(card(method, () => choose(method.name), onChange));
    return cards.at(-1).element;
  };
  host.replaceChildren(
    ...GROUPS.flatMap(([guarantees, title]) =>
      group(
        methods.filter((one) => one.guarantees === guarantees),
        title,
        make,
      ),
    ),
  );

  const current = () => cards.find(({ radio }) => radio.checked);
  function choose(name) {
    for (const one of cards) one.show(one.method.name === name);
    onChange();
  }
  cards[0].radio.checked = true;
  for (const one of cards) one.show(one === cards[0]);
  return {
    chosen: () => current().method,
    values: () => ({ name: current().method.name, ...current().fields.values() }),
    fail: (errors) => current().fail(errors),
    clear: () => cards.forEach(({ clear }) => clear()),
  };
}

/** A statement that all members of a group share is written once, above them. */
function group(methods, title, make) {
  if (!methods.length) return [];
  const [{ statement, guarantees }] = methods;
  const shared = methods.length > 1 && methods.every((one) => one.statement === statement);
  return [
    el("h3", { class: "ways__title" }, title),
    shared && el("p", { class: guarantees ? "notice notice--accent" : "notice" }, statement),
    el("div", { class: "ways" }, methods.map(make)),
    shared && details(methods[0]),
  ].filter(Boolean);
}

function card(method, onChoose, onChange) {
  const radio = el("input", { type: "radio", name: "method", value: method.name });
  const form = el("div", { class: "mechanism__fields stack unless-empty" });
  const fields = createFields(form, method.fields, { onChange });
  const error = errorPlace({ id: `${method.name}-error` });
  radio.setAttribute("aria-describedby", error.id);
  const element = el(
    "div",
    { class: "mechanism", dataset: { method: method.name } },
    el(
      "label",
      { class: "mechanism__name" },
      radio,
      method.title,
      el("span", { class: "chip" }, method.guarantees ? "one-sided ε per event" : "not private"),
    ),
    el("p", {}, method.summary),
    method.guarantees && el("p", {}, powers(method.statement)),
    error,
    form,
    method.guarantees && details(method),
  );
  const showErrors = (message) => showText(error, message);
  radio.addEventListener("change", onChoose);
  return {
    method,
    radio,
    fields,
    element,
    show(on) {
      element.classList.toggle("mechanism--on", on);
      form.hidden = !on;
    },
    fail(errors) {
      const rest = fields.fail(errors);
      const own = rest.filter(({ field }) => field === "method.name");
      showErrors(own.map(sentenceOf).join(" "));
      return rest.filter((one) => !own.includes(one));
    },
    clear() {
      fields.clear();
      showErrors("");
    },
  };
}

const details = (method) =>
  el(
    "details",
    { class: "disclosure small" },
    el("summary", {}, "What it does not cover"),
    list({ class: "ways__caveats" }, [...method.caveats, method.over_series, method.redrawing].map(powers)),
  );

/** Text with e^ε as a power. */
const powers = (text) =>
  text.split(/(e\^−?ε)/).map((part) => (part.startsWith("e^") ? ["e", el("sup", {}, part.slice(2))] : part));
