/* What every page has: menus that close, terms that explain themselves, the jobs drawer, logging in again. */

import { $$ } from "../core/dom.js";
import { watchTerms } from "../components/glossary.js";
import { watchJobs } from "../components/jobs.js";
import { watchSession } from "../components/login_dialog.js";

const WAYS = { ArrowDown: 1, ArrowUp: -1 };

const shut = (menu, focus) => {
  menu.open = false;
  if (focus) menu.querySelector("summary").focus();
};

// Menus come and go with the lists they are in, so the page listens
document.addEventListener(
  "click",
  (/** @type {any} */ { target }) => {
    for (const menu of $$("[data-menu][open]")) if (!menu.contains(target)) shut(menu);
    const chosen = target.closest(".menu__panel > button")?.closest("[data-menu]");
    if (chosen) shut(chosen, true); // before the choice does its work: a dialog gives focus back to what is still there
  },
  { capture: true },
);
document.addEventListener("keydown", (/** @type {any} */ event) => {
  const menu = event.target.closest?.("[data-menu][open]");
  if (!menu) return;
  if (event.key === "Escape") shut(menu, true);
  else if (!WAYS[event.key]) return;
  else {
    const items = $$(".menu__panel :is(a, button, summary)", menu).filter((one) => one.checkVisibility());
    const at = items.indexOf(document.activeElement);
    items.at(at < 0 && WAYS[event.key] < 0 ? -1 : (at + WAYS[event.key]) % items.length)?.focus();
  }
  event.preventDefault();
});
document.addEventListener("focusout", (/** @type {any} */ { target, relatedTarget }) => {
  const menu = target.closest?.("[data-menu][open]");
  if (menu && relatedTarget && !menu.contains(relatedTarget)) shut(menu);
});

watchTerms();
watchSession();
watchJobs();
