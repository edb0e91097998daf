/* Mechanisms as cards: what each does, what it guarantees, its own parameters. */

import { el } from "../dom.js";
import { createFields } from "../fields.js";
import { swatch } from "../legend.js";

/** Fields that every mechanism has: asked once for all. */
export function commonFields(mechanisms) {
  const names = mechanisms.map(({ fields }) => new Set(fields.map(({ name }) => name)));
  return mechanisms[0].fields.filter(({ name }) => names.every((own) => own.has(name)));
}

/**
 * Cards in `host`; `chosen` names those ticked at first. `onChange()` after every change.
 * Returns {chosen() -> [{mechanism, own}], set([{name, …own}]), fail(name, errors), clear()}.
 */
export function createCards(host, mechanisms, { common, chosen, onChange }) {
  const shared = new Set(common.map(({ name }) => name));
  const cards = mechanisms.map((mechanism, index) => card(mechanism, index, { shared, on: chosen.includes(mechanism.name), onChange }));
  host.replaceChildren(...cards.map(({ element }) => element));
  return {
    chosen: () => cards.filter(({ box }) => box.checked).map(({ mechanism, fields }) => ({ mechanism, own: fields.values() })),
    set: (described) => cards.forEach((one) => one.set(described.find(({ name }) => name === one.mechanism.name))),
    fail: (name, errors) => cards.find(({ mechanism }) => mechanism.name === name).fields.fail(errors),
    clear: () => cards.forEach(({ fields }) => fields.clear()),
  };
}

function card(mechanism, index, { shared, on, onChange }) {
  const box = el("input", { type: "checkbox", checked: on, name: "mechanism", value: mechanism.name });
  const form = el("div", { class: "mechanism__fields stack" });
  const fields = createFields(form, mechanism.fields.filter(({ name }) => !shared.has(name)), { onChange });
  const element = el(
    "div",
    { class: "mechanism", dataset: { mechanism: mechanism.name } },
    el("label", { class: "mechanism__name" }, box, swatch({ index: mechanism.index ?? index, dash: mechanism.dash }), mechanism.title, el("span", { class: "chip" }, `${mechanism.level} level`)),
    el("p", {}, mechanism.summary),
    el("p", { class: "small muted" }, mechanism.guarantee.statement),
    form,
  );
  const show = () => {
    element.classList.toggle("mechanism--on", box.checked);
    form.hidden = !box.checked;
  };
  box.addEventListener("change", () => {
    show();
    onChange();
  });
  show();
  const set = (own) => {
    box.checked = own !== undefined;
    fields.set(own ?? {});
    show();
  };
  return { mechanism, box, fields, element, set };
}
