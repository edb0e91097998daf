/* One of a few: radio inputs that look like one control. */

import { $$, el } from "../core/dom.js";

let groups = 0;

/**
 * A fieldset of radios. `options` = [[value, text, title]]; `onChange(value)`; `more` are elements after the radios,
 * inside the same frame. `legend` is read and, with `shown`, seen.
 */
export function radios(legend, options, chosen, onChange, /** @type {any} */ { shown = false, more = [] } = {}) {
  const name = `choice-${(groups += 1)}`;
  const one = ([value, text, title]) =>
    el(
      "label",
      { title },
      el("input", { type: "radio", name, value, checked: value === chosen, onchange: () => onChange(value) }),
      el("span", text),
    );
  const element = el(
    "fieldset.choices",
    el("legend", { class: shown ? "choices__legend small muted" : "visually-hidden" }, legend),
    el("div.segmented", options.map(one), more),
  );
  return {
    element,
    /** Check another one, or with null none. */
    set: (value) => $$("input", element).forEach((input) => (input.checked = input.value === value)),
  };
}

/** A checkbox with its text; `onChange(checked)`. */
export function tick(text, checked, onChange) {
  const input = el("input", { type: "checkbox", checked, onchange: () => onChange(input.checked) });
  return {
    element: el("label.choice.choices__tick.small.muted.nowrap", input, text),
    set: (on) => (input.checked = on),
  };
}
