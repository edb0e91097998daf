/* The server draws lists; when something changed, the page is fetched again and the changed parts are put in. */

import { getText } from "./api.js";
import { $, $$ } from "./dom.js";

/**
 * Replace the contents of each element by what the server now gives; focus and what was typed stay, as far as their
 * fields do.
 *
 * @param {...string} ids
 */
export async function refresh(...ids) {
  const fresh = new DOMParser().parseFromString(await getText(location.href), "text/html");
  for (const id of ids) {
    const old = document.getElementById(id);
    const now = fresh.getElementById(id);
    if (!old || !now || old.innerHTML === now.innerHTML) continue;
    const active = document.activeElement;
    const focused = active && old.contains(active) ? pathOf(active) : null;
    const open = $$("details[open][id]", old).map((one) => one.id);
    const typed = $$("input[id]", old).filter((field) => field.value !== field.defaultValue);
    old.replaceChildren(...[...now.childNodes].map((node) => document.adoptNode(node)));
    for (const one of open) document.getElementById(one)?.setAttribute("open", "");
    for (const { id: one, value } of typed) {
      const field = $(`#${CSS.escape(one)}`, old);
      if (field) field.value = value;
    }
    if (focused) ($(focused, old) ?? focusable(old))?.focus({ preventScroll: true });
  }
}

/** A selector of the same control in a newer drawing: by id, action or address. @param {Element} element */
function pathOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const stable = [...element.attributes].find(({ name }) => name === "href" || name.startsWith("data-"));
  const own = stable ? `[${stable.name}="${CSS.escape(stable.value)}"]` : element.tagName;
  const row = element.closest("[data-key]");
  return row ? `[data-key="${CSS.escape(row.dataset.key ?? "")}"] ${own}` : own;
}

/** Where focus goes when its control is gone: the list itself. @param {HTMLElement} element */
function focusable(element) {
  if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
  return element;
}
