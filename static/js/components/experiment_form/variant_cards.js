/* Things to compare, as cards to tick; each one ticked has a row of its own parameters, and may have several such rows.
 */

import { announce, el } from "../../core/dom.js";
import { errorPlace, showText } from "../../core/elements.js";
import { createFields } from "../form_fields.js";
import { isGiven } from "../number_field.js";

/** What a form of fields gives beyond what is usual; null where a number is missing. */
export function ownValues(fields, listed) {
  const values = fields.values();
  if (!Object.values(values).every(isGiven)) return null;
  const usual = (name, value) =>
    listed.some((field) => field.name === name && !field.required && field.default === value);
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !usual(name, value)));
}

/**
 * Cards of `listed` in `hosts.cards`, rows in `hosts.rows`. `shared` parameters are set elsewhere; `line(kind)`
 * is drawn before its name; `extend(row)` may add to a row and return what it added. `onChange()` after every change.
 * Returns {rows() -> [{kind, title, values()}], names() of them, set([{name, …own}]), fail(i, name, text) -> whether it
 * had a place, clear()}.
 *
 * @param {{cards: HTMLElement, rows: HTMLElement}} hosts
 * @param {any[]} listed
 * @param {{
 *   name: string, shared?: string[], line?: (kind: any) => any, extend?: (row: any) => any, onChange: () => void,
 * }} options
 */
export function createVariants(hosts, listed, { name, shared = [], line = () => null, extend = () => null, onChange }) {
  let rows = [];
  const place = (kind) => listed.indexOf(kind);
  const ownFieldsOf = (kind) => kind.fields.filter((field) => !shared.includes(field.name));
  const cards = listed.map((kind) => card(kind, { name, line, toggled }));
  hosts.cards.replaceChildren(...cards.map(({ element }) => element));

  const row = (kind, values = {}) =>
    createRow(kind, values, { ownFields: ownFieldsOf(kind), line, extend, onChange, another, remove });

  function draw() {
    for (const { kind, box, show } of cards) {
      const own = rows.filter((one) => one.kind === kind);
      own.forEach((one, i) => one.number(i, own.length));
      box.checked = own.length > 0;
      show();
    }
    hosts.rows.replaceChildren(...rows.filter(({ shown }) => shown).map(({ element }) => element));
    hosts.rows.hidden = !rows.some(({ shown }) => shown);
  }
  function insert(made) {
    const before = rows.findIndex(({ kind }) => place(kind) > place(made.kind));
    rows.splice(before < 0 ? rows.length : before, 0, made);
  }
  function toggled(kind, on) {
    if (on) insert(row(kind));
    else rows = rows.filter((one) => one.kind !== kind);
    draw();
    onChange();
  }
  function another(made) {
    const next = row(made.kind, made.fields.all());
    rows.splice(rows.indexOf(made) + 1, 0, next);
    draw();
    onChange();
    next.element.querySelector("input, select")?.focus();
    announce(`${next.title} is added.`);
  }
  function remove(made) {
    rows = rows.filter((one) => one !== made);
    draw();
    onChange();
    cards.find(({ kind }) => kind === made.kind)?.box.focus();
    announce(`${made.title} is removed.`);
  }

  return {
    rows: () => rows,
    names: () => rows.map(({ kind }) => ({ name: kind.name })),
    set(descriptions) {
      rows = descriptions.map(({ name: of, ...own }) =>
        row(
          listed.find((kind) => kind.name === of),
          own,
        ),
      );
      draw();
    },
    fail(i, parameter, text) {
      const found = rows[i];
      if (!found) return false;
      const rest = found.fields.fail([{ field: parameter, message: text }]);
      rest.forEach(({ message }) => found.fail(message));
      return true;
    },
    clear: () =>
      rows.forEach((one) => {
        one.fields.clear();
        one.fail("");
      }),
  };
}

function card(kind, { name, line, toggled }) {
  const box = el("input", { type: "checkbox", name, value: kind.name, onchange: () => toggled(kind, box.checked) });
  const element = el(
    "div.mechanism.mechanism--card.stack.box",
    el("label.mechanism__name.line.strong", box, line(kind), kind.title),
    el("p.small.muted", kind.summary),
  );
  return { kind, box, element, show: () => element.classList.toggle("mechanism--on", box.checked) };
}

/**
 * A row of a kind's parameters: {kind, title, element, fields, form, values(), fail(message), number(i, of), shown}.
 */
function createRow(kind, values, { ownFields, line, extend, onChange, another, remove }) {
  const form = el("div.tiles.tiles--wide");
  const fields = createFields(form, ownFields, { onChange });
  fields.set(values);
  const title = el("span", kind.title);
  const button = { class: "button button--small" };
  const label = `Add variant of ${kind.title}`;
  const add = el("button", { ...button, "aria-label": label, onclick: () => another(row) }, "Add variant");
  const drop = el("button", { ...button, onclick: () => remove(row) }, "Remove");
  const error = errorPlace();
  const row = {
    kind,
    fields,
    form,
    title: kind.title,
    values() {
      const own = ownValues(fields, ownFields);
      return own && { name: kind.name, ...own };
    },
    fail(message) {
      showText(error, message);
    },
    /** Name it as number i of the rows of its kind. */
    number(i, of) {
      row.title = of > 1 ? `${kind.title} ${i + 1}` : kind.title;
      title.textContent = row.title;
      row.element.setAttribute("aria-label", `${row.title}: parameters`);
      drop.hidden = of < 2;
      drop.setAttribute("aria-label", `Remove ${row.title}`);
    },
  };
  const more = extend(row);
  const tools = ownFields.length > 0 && el("p.row.gap-2", add, drop);
  row.shown = ownFields.length > 0 || Boolean(more);
  row.element = el(
    "div.own",
    { role: "group", dataset: { row: kind.name } },
    el("p.own__name.line.strong", line(kind), title),
    el("div.stack", ownFields.length > 0 && form, more, error, tools),
  );
  return row;
}
