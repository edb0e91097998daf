/* Several values to try: numbers in one field, checkboxes, and one more parameter to sweep. */

import { frame } from "../form_fields.js";
import { createNumber, listReadingOf } from "../number_field.js";
import { announce, el } from "../../core/dom.js";
import { count } from "../../core/format.js";
import { shifted, writtenNumber } from "../../core/number_text.js";
import { choice, errorPlace, showText } from "../../core/elements.js";

export const inPercent = (field) => ({
  ...field,
  unit: "%",
  minimum: (field.minimum ?? 0) * 100,
  maximum: (field.maximum ?? 1) * 100,
});

/**
 * A field for `field` = {name, label, symbol, unit, help, minimum, maximum, share}; `share` are typed in per cent,
 * `empty` lets it be none.
 * Returns {element, values() -> numbers or null, set(values), fail(message), clear()}.
 */
export function createList(field, start, { onChange }) {
  const by = field.share ? -2 : 0;
  const shown = { ...(field.share ? inPercent(field) : field), required: !field.empty };
  const { input } = createNumber(shown, { list: true });
  const many = el("output.small.muted");
  const { element, fail } = frame(shown, input, input, many);

  const numbers = () => listReadingOf(input).texts.map((text) => shifted(text, by));
  function show() {
    const { values, problem } = listReadingOf(input);
    many.textContent = !problem && values.length > 1 ? count(values.length, "value") : "";
    fail(problem);
  }
  input.addEventListener("input", () => {
    show();
    onChange();
  });
  const set = (values) => {
    const texts = values.map((value) => writtenNumber(by ? shifted(value, -by) : value, shown));
    if (input.value === "" || String(numbers()) !== String(values)) input.value = texts.join(", ");
    show();
  };
  set(start);
  return {
    element,
    set,
    fail,
    clear: show,
    values() {
      const { problem } = listReadingOf(input);
      return problem ? null : numbers();
    },
  };
}

/** Which value of a list an error is about, if it is aborted. */
export const ofValue = (at, message) => (at === null || Number.isNaN(at) ? message : `Value ${at + 1}: ${message}`);

const NOTHING = "";
const titleOf = ({ label, symbol }) => (symbol ? `${label} ${symbol}` : label);

/**
 * The choice in `host`, hidden where there is nothing to choose.
 * Returns {values() -> {path, values}, null for none, undefined while values are missing; offer(sweeps) what there is,
 * [{path, field}]; path() or "", set({path, values or null for the usual} or null), fail(path, text) -> whether it had
 * a place, clear()}.
 *
 * @param {HTMLElement} host
 * @param {{onChange: () => void}} on
 */
export function createOtherSweep(host, { onChange }) {
  const select = el("select.input", { id: "other-sweep", onchange: chosen });
  const place = el("div");
  const label = el("label", { for: "other-sweep" }, "Also sweep");
  const help = el("p.field__help", "These values replace the one that is given elsewhere in the form.");
  host.replaceChildren(el("div", el("div.field", label, select, help)), place);
  /** @type {{path: string, field: any}[]} */
  let offered = [];
  let list;

  function show(/** @type {any[] | null} */ values = null) {
    const found = offered.find(({ path }) => path === select.value);
    list = found ? createList(found.field, values ?? [found.field.default ?? found.field.example], { onChange }) : null;
    place.replaceChildren(...(list ? [list.element] : []));
  }
  function chosen() {
    show();
    onChange();
  }

  return {
    path: () => select.value,
    values() {
      if (!list) return null;
      const values = list.values();
      return values ? { path: select.value, values } : undefined;
    },
    offer(/** @type {{path: string, field: any}[]} */ sweeps) {
      const before = select.value;
      if (JSON.stringify(sweeps.map(({ path }) => path)) === JSON.stringify(offered.map(({ path }) => path))) return;
      offered = sweeps;
      const options = offered.map(({ path, field }) => el("option", { value: path }, titleOf(field)));
      select.replaceChildren(el("option", { value: NOTHING }, "Nothing else"), ...options);
      host.hidden = !offered.length;
      select.value = offered.some(({ path }) => path === before) ? before : NOTHING;
      if (select.value === before) return;
      show();
      announce("Nothing else is swept: not all that is selected has the parameter.");
    },
    set(/** @type {{path: string, values: any[] | null} | null} */ given) {
      if (given?.values && list && select.value === given.path) {
        list.set(given.values);
        return;
      }
      select.value = given?.path ?? NOTHING;
      show(given?.values);
    },
    fail(/** @type {string[]} */ path, /** @type {string} */ text) {
      const own = select.value && path.slice(1).join(".").startsWith(select.value);
      if (!own || !list) return false;
      list.fail(ofValue(Number(path.at(-1)), text));
      return true;
    },
    clear: () => list?.clear(),
  };
}

let groups = 0;

/** All of `usual` with `chosen` in their own order: the usual one if they are in it. */
export function ordered(chosen, usual) {
  const places = chosen.map((one) => usual.indexOf(one));
  const inOrder = places.every((at, i) => i === 0 || places[i - 1] < at);
  return inOrder ? usual : [...chosen, ...usual.filter((one) => !chosen.includes(one))];
}

/**
 * A fieldset of checkboxes. `choices` = [{value, label, description}]; `least` is shown where none is ticked.
 * Returns {element, values() -> those ticked, or null for none where one is needed, set(values), fail(message),
 * clear()}.
 */
export function createTicks({ legend, help, choices, least = "" }, start, { onChange }) {
  const id = `ticks-${(groups += 1)}`;
  const boxes = new Map();
  let order = choices.map(({ value }) => value);
  const error = errorPlace({ id: `${id}-error` });
  const one = ({ value, label, description }) => {
    const box = el("input", {
      type: "checkbox",
      name: legend,
      value: String(value),
      "aria-describedby": `${id}-error`,
      onchange: changed,
    });
    boxes.set(value, box);
    return choice(box, label, description && el("span.muted.small", ` · ${description}`));
  };
  const element = el(
    "fieldset.field.ticks",
    el("legend", legend),
    help && el("p.field__help", help),
    el("div.ticks__all", choices.map(one)),
    error,
  );
  const ticked = () => order.filter((value) => boxes.get(value).checked);
  const fail = (message) => {
    showText(error, message);
    boxes.forEach((box) => (message ? box.setAttribute("aria-invalid", "true") : box.removeAttribute("aria-invalid")));
  };
  const clear = () => fail(ticked().length ? "" : least);
  function changed() {
    clear();
    onChange();
  }
  const set = (values) => {
    order = ordered(
      values,
      choices.map(({ value }) => value),
    );
    boxes.forEach((box, value) => (box.checked = values.includes(value)));
    clear();
  };
  set(start);
  return { element, set, fail, clear, values: () => (least && !ticked().length ? null : ticked()) };
}
