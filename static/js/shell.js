/* What every page has: menus that close, words that explain themselves, the jobs drawer. */

import { $$ } from "./dom.js";
import { watchTerms } from "./glossary.js";
import { watchJobs } from "./jobs.js";

for (const menu of $$("[data-menu]")) {
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
}

watchTerms();
watchJobs();
