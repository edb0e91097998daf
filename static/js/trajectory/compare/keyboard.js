/* Keys of the comparison: arrows step through the events, Escape shows all of them again. */

import { stepOf } from "../../components/timeline.js";

const PAGING = ["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"]; // they scroll, unless the map has them

/** Listen; `now()` = {event, n, whole}, `on.step(event)` and `on.all()`. */
export function watchKeys(now, on) {
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const { event: at, n, whole } = now();
    if (event.key === "Escape" && !event.defaultPrevented && !target.closest("dialog, details[open]") && !whole)
      on.all();
    if (target.closest("input:not([type=checkbox]), select, textarea, dialog, [role=slider]") || event.defaultPrevented)
      return;
    if (target.closest("main, .map") === null && target !== document.body) return;
    if (PAGING.includes(event.key) && !target.closest(".map")) return;
    const to = stepOf(event, at, n);
    if (to === null) return;
    event.preventDefault();
    on.step(to);
  });
}
