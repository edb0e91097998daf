/* Any of a few: checkboxes that keep the order they were given in. */

import { el } from "../../core/dom.js";
import { choice, errorPlace, showText } from "../../core/elements.js";

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
    return choice(box, label, description && el("span", { class: "muted small" }, ` · ${description}`));
  };
  const element = el(
    "fieldset",
    { class: "field ticks" },
    el("legend", {}, legend),
    help && el("p", { class: "field__help" }, help),
    el("div", { class: "ticks__all" }, choices.map(one)),
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
