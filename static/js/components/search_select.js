/* A choice among many: a text field that lists what holds the text, by pointer and by keyboard. */

import { el } from "../core/dom.js";

let fields = 0;

/**
 * A labelled field in place of a select. `options` = [{value, text, mark?}]: `mark()` makes an element before the text.
 * `onChange(value)` after another option was chosen; `set(value)` shows one.
 *
 * @param {string} label
 * @param {{value: string, text: string, mark?: () => Element}[]} options
 * @param {string} chosen
 * @param {(value: string) => void} onChange
 */
export function searchSelect(label, options, chosen, onChange) {
  const id = `choose-${(fields += 1)}`;
  const { input, list, element } = frame(id, label);
  let [value, at] = [chosen, -1];
  /** @type {typeof options} */
  let listed = [];
  const items = options.map(({ text, mark }, i) =>
    el("li", { id: `${id}-${i}`, role: "option" }, mark?.() ?? null, el("span", text)),
  );

  const textOf = (one) => options.find((option) => option.value === one)?.text ?? "";

  function open(text) {
    listed = matching(options, text);
    const shown = listed.map((option) => items[options.indexOf(option)]);
    list.replaceChildren(...(shown.length ? shown : [el("li.search-select__none", "None has this name.")]));
    items.forEach((item, i) => item.setAttribute("aria-selected", String(options[i].value === value)));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    point(listed.findIndex((option) => option.value === value));
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    input.value = textOf(value);
  }

  function point(to) {
    at = listed.length ? Math.max(-1, Math.min(to, listed.length - 1)) : -1;
    items.forEach((item, i) => item.classList.toggle("search-select__at", options[i] === listed[at]));
    const item = at < 0 ? null : items[options.indexOf(listed[at])];
    if (item) input.setAttribute("aria-activedescendant", item.id);
    else input.removeAttribute("aria-activedescendant");
    item?.scrollIntoView({ block: "nearest" });
  }

  function choose(option) {
    const changed = option && option.value !== value;
    if (changed) value = option.value;
    close();
    if (changed) onChange(value);
  }

  const keys = {
    ArrowDown: () => (list.hidden ? open("") : point(at + 1)),
    ArrowUp: () => (list.hidden ? open("") : point(Math.max(0, at - 1))),
    Enter: () => !list.hidden && choose(listed[at < 0 && input.value ? 0 : at]),
    Escape: () => !list.hidden && close(),
  };
  input.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    if (event.key === "Escape" && list.hidden) return;
    event.preventDefault();
    keys[event.key]();
  });
  input.addEventListener("input", () => open(input.value));
  input.addEventListener("focus", () => input.select());
  input.addEventListener("click", () => list.hidden && open(""));
  input.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", ({ target }) => {
    const item = /** @type {any} */ (target).closest("[role=option]");
    if (item) choose(options[items.indexOf(item)]);
  });
  close();

  return {
    element,
    set(one) {
      value = one;
      if (list.hidden) close();
    },
  };
}

/** The field, its label and its list, empty. */
function frame(id, label) {
  const input = el("input", {
    ...{ id, class: "input", type: "text", role: "combobox", autocomplete: "off", spellcheck: "false" },
    ...{ "aria-expanded": "false", "aria-controls": `${id}-list`, "aria-autocomplete": "list" },
  });
  const list = el("ul.search-select__list.popup", { id: `${id}-list`, role: "listbox", "aria-label": label });
  list.hidden = true;
  const field = el("div.search-select__field.compact.grow", input, list);
  const name = el("label.search-select__label", { for: id }, label);
  return { input, list, element: el("div.line.small.muted", name, field) };
}

/** The options whose text holds `text`, whatever the case; those that begin with it first. */
export function matching(options, text) {
  const wanted = text.trim().toLocaleLowerCase();
  const found = options.filter((option) => option.text.toLocaleLowerCase().includes(wanted));
  const begins = (option) => (option.text.toLocaleLowerCase().startsWith(wanted) ? 0 : 1);
  return found.sort((a, b) => begins(a) - begins(b));
}
