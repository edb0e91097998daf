/* Mechanisms as cards, by level: what each does and guarantees; the parameters of those chosen stand below all cards.
 */

import { addSpeed } from "../speed_field.js";
import { el } from "../../core/dom.js";
import { createFields } from "../../components/form_fields.js";
import { swatch } from "../../components/swatch.js";

const LEVELS = { landmark: "Landmark level", event: "Event level", "w-event": "w-event level", user: "User level" };

/** Fields that every mechanism has, shown once. */
export function commonFields(mechanisms) {
  const names = mechanisms.map(({ fields }) => new Set(fields.map(({ name }) => name)));
  return mechanisms[0].fields.filter(({ name }) => names.every((own) => own.has(name)));
}

/** Whether it is chosen at first where there is no landmark set: it reads no landmarks and needs the level alone. */
export const isFirstWithoutSet = ({ reads_landmarks, fields }) =>
  !reads_landmarks && fields.every(({ name, required }) => !required || ["epsilon", "radius_m"].includes(name));

/**
 * Cards in `hosts.cards`, the fields of each alone in `hosts.own`; `chosen` names those ticked at first. No card
 * moves when one is ticked. `onChange()` after every change.
 * Returns {chosen() and all() -> [{mechanism, own}], choose(name), set([{name, …own}]), fail(name, errors), clear()}.
 */
export function createCards(hosts, mechanisms, { common, chosen, onChange }) {
  const shared = new Set(common.map(({ name }) => name));
  const changed = () => {
    hosts.own.hidden = !cards.some(({ box, hasOwnFields }) => box.checked && hasOwnFields);
    onChange();
  };
  const cards = mechanisms.map((mechanism) =>
    card(mechanism, { shared, on: chosen.includes(mechanism.name), onChange, changed }),
  );
  hosts.cards.replaceChildren(...grouped(cards));
  hosts.own.append(...cards.filter(({ hasOwnFields }) => hasOwnFields).map(({ own }) => own));
  hosts.own.hidden = !cards.some(({ box, hasOwnFields }) => box.checked && hasOwnFields);
  return {
    chosen: () =>
      cards.filter(({ box }) => box.checked).map(({ mechanism, fields }) => ({ mechanism, own: fields.values() })),
    all: () => cards.map(({ mechanism, fields }) => ({ mechanism, own: fields.values() })),
    choose(name) {
      const { box } = cards.find(({ mechanism }) => mechanism.name === name);
      if (!box.checked) box.click();
    },
    set(described) {
      cards.forEach((one) => one.set(described.find(({ name }) => name === one.mechanism.name)));
      changed();
    },
    fail: (name, errors) => cards.find(({ mechanism }) => mechanism.name === name).fields.fail(errors),
    clear: () => cards.forEach(({ fields }) => fields.clear()),
  };
}

/**
 * Levels of several mechanisms with their guarantee stated once; those that are alone at theirs together at the end.
 */
function grouped(cards) {
  const levels = [...new Set(cards.map(({ mechanism }) => mechanism.level))];
  const of = (level) => cards.filter(({ mechanism }) => mechanism.level === level);
  const [many, alone] = [
    levels.filter((level) => of(level).length > 1),
    levels.filter((level) => of(level).length === 1),
  ];
  const found = many.map((level) => group(LEVELS[level] ?? level, sharedStatement(of(level)), of(level)));
  return alone.length ? [...found, group(many.length ? "Other levels" : "Mechanisms", "", alone.flatMap(of))] : found;
}

/** The guarantee that all of them state, which their cards then need not. */
export function sharedStatement(cards) {
  const [first, ...rest] = cards.map(({ mechanism }) => mechanism.guarantee.statement);
  if (rest.some((statement) => statement !== first)) return "";
  for (const { statement } of cards) statement.remove();
  return first;
}

function group(title, statement, cards) {
  return el(
    "section",
    { class: "cards__group", "aria-label": title },
    el("h3", {}, title),
    statement && el("p", { class: "small muted" }, statement),
    el(
      "div",
      { class: "mechanisms" },
      cards.map(({ element }) => element),
    ),
  );
}

function card(mechanism, { shared, on, onChange, changed }) {
  const box = el("input", { type: "checkbox", checked: on, name: "mechanism", value: mechanism.name });
  const form = el("div", { class: "own__fields" });
  const ownFields = mechanism.fields.filter(({ name }) => !shared.has(name));
  const fields = createFields(form, ownFields, { onChange });
  addSpeed(form, fields, onChange);
  const line = () => swatch(mechanism);
  const statement = el("p", { class: "small muted" }, mechanism.guarantee.statement);
  const element = el(
    "div",
    { class: "mechanism mechanism--card", dataset: { card: mechanism.name } },
    el("label", { class: "mechanism__name" }, box, line(), mechanism.title),
    el("p", {}, mechanism.summary),
    statement,
    ownFields.length > 0 &&
      el(
        "p",
        { class: "small muted mechanism__requires" },
        `Parameters: ${ownFields.map(({ label }) => label.toLowerCase()).join(", ")}`,
      ),
  );
  const own = el(
    "div",
    {
      class: "own",
      dataset: { mechanism: mechanism.name },
      role: "group",
      "aria-label": `${mechanism.title}: parameters`,
    },
    el("p", { class: "own__name" }, line(), mechanism.title),
    form,
  );
  const show = () => {
    element.classList.toggle("mechanism--on", box.checked);
    own.hidden = !box.checked;
  };
  box.addEventListener("change", () => {
    show();
    changed();
  });
  show();
  const set = (values) => {
    box.checked = values !== undefined;
    fields.set(values ?? {});
    show();
  };
  return { mechanism, box, fields, element, own, statement, hasOwnFields: ownFields.length > 0, set };
}
