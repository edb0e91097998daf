/* The server draws lists; when something changed, the page is fetched again and the changed parts are put in. */

import { getText } from "./api.js";
import { $ } from "./dom.js";

/** Replace the contents of each element by what the server now says; focus stays where it was, as far as that exists. */
export async function refresh(...ids) {
  const fresh = new DOMParser().parseFromString(await getText(location.href), "text/html");
  for (const id of ids) {
    const old = document.getElementById(id);
    const now = fresh.getElementById(id);
    if (!old || !now || old.innerHTML === now.innerHTML) continue;
    const focused = old.contains(document.activeElement) ? pathOf(document.activeElement) : null;
    const open = [...old.querySelectorAll("details[open][id]")].map((one) => one.id);
    old.replaceChildren(...[...now.childNodes].map((node) => document.adoptNode(node)));
    for (const one of open) document.getElementById(one)?.setAttribute("open", "");
    if (focused) ($(focused, old) ?? focusable(old))?.focus({ preventScroll: true });
  }
}

/** A selector that finds the same control in a newer drawing. */
function pathOf(element) {
  const row = element.closest("[data-key]");
  const label = element.getAttribute("aria-label") ?? element.getAttribute("href");
  const own = element.id
    ? `#${CSS.escape(element.id)}`
    : `${element.tagName}[${element.hasAttribute("aria-label") ? "aria-label" : "href"}="${CSS.escape(label ?? "")}"]`;
  return row ? `[data-key="${CSS.escape(row.dataset.key)}"] ${own}` : own;
}

/** Where focus goes when its control is gone: the list itself. */
function focusable(element) {
  if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
  return element;
}
