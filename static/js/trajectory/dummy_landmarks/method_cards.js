/* The ways to choose dummies as cards, one of them chosen: those with a promise for the landmarks first, the others
 * below the text that states why they have none; how many dummies to expect, in bars and as text, before anything is
 * drawn.
 */

import { createFields } from "../../components/form_fields.js";
import { el } from "../../core/dom.js";
import { errorPlace, list, showText } from "../../core/elements.js";
import { sentenceOf } from "../../core/field_errors.js";
import { count, number, percent, whole } from "../../core/format.js";

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
  const listed = (guarantees) => methods.filter((method) => method.guarantees === guarantees);
  host.replaceChildren(...GROUPS.flatMap(([guarantees, title]) => group(listed(guarantees), title, make)));

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
    el("div", { class: "tiles tiles--fit" }, methods.map(make)),
    shared && details(methods[0]),
  ].filter(Boolean);
}

function card(method, onChoose, onChange) {
  const radio = el("input", { type: "radio", name: "method", value: method.name });
  const form = el("div", { class: "mechanism__fields stack unless-empty" });
  const fields = createFields(form, method.fields, { onChange });
  const error = errorPlace({ id: `${method.name}-error` });
  radio.setAttribute("aria-describedby", error.id);
  const chip = el("span", { class: "chip" }, method.guarantees ? "one-sided ε per event" : "not private");
  const name = el("label", { class: "mechanism__name line strong" }, radio, method.title, chip);
  const statement = method.guarantees && el("p", {}, powers(method.statement));
  const parts = [name, el("p", {}, method.summary), statement, error, form, method.guarantees && details(method)];
  const element = el("div", { class: "mechanism card stack gap-2", dataset: { method: method.name } }, parts);
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

function details({ caveats, over_series, redrawing }) {
  const summary = el("summary", {}, "What it does not cover");
  const items = list({ class: "ways__caveats bullets stack gap-2" }, [...caveats, over_series, redrawing].map(powers));
  return el("details", { class: "disclosure small" }, summary, items);
}

/** Text with e^ε as a power. */
const powers = (text) =>
  text.split(/(e\^−?ε)/).map((part) => (part.startsWith("e^") ? ["e", el("sup", {}, part.slice(2))] : part));

const label = ({ first, last }) => (first === last ? whole(first) : `${whole(first)} to ${whole(last)}`);

/** Rows of a table: a number of dummies, a bar, a share. */
export function bars(counts) {
  const most = Math.max(...counts.map(({ probability }) => probability));
  return counts.map((each) => {
    const style = { "inline-size": `${(100 * each.probability) / most}%` };
    const bar = el("span", { class: "chances__bar", style, "aria-hidden": "true" });
    const share = each.probability < 0.001 ? "< 0.1\u202f%" : percent(each.probability, 2);
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, label(each)),
      el("td", {}, bar),
      el("td", { class: "number" }, share),
    );
  });
}

/** The mean, as text. */
export function expected({ landmarks, points, expected: mean }) {
  const others = points - landmarks;
  if (!others) return "Every event is a landmark: no dummies can be added.";
  const about = mean < 100 ? number(mean, 2) : whole(mean);
  return `About ${about} of the ${count(others, "other event")} beside the ${count(landmarks, "landmark")}.`;
}

/** What so many dummies cost the landmarks of a release. */
export function budgetText({ landmarks, expected: mean }) {
  const marked = landmarks + Math.round(mean);
  if (marked === landmarks) return "";
  return (
    `Cost: with that many events in L′, Uniform gives each landmark ε/${whole(marked + 1)} instead of ` +
    `ε/${whole(landmarks + 1)}, ${number((marked + 1) / (landmarks + 1), 2)} times the noise.`
  );
}

/** What was drawn before, or nothing. */
export function before({ earlier_selections: draws, level_spent: level }, redrawing) {
  if (!draws) return "";
  return `${count(draws, "earlier selection")} from these landmarks, ε = ${number(level)} in total. ${redrawing}`;
}
