/* Checkboxes of releases, by batch and one by one: how many are chosen, and whether they can be compared. */

import { $, $$ } from "../core/dom.js";
import { count } from "../core/format.js";

/**
 * Watch the checkboxes named release in `host`; [data-batch-all] selects those of its [data-batch], [data-picked] shows
 * how many there are, and [type=submit] is enabled once one is. Returns {set(ids), redraw(draw)}: redraw calls
 * `draw()`, which draws the list again, and restores what was chosen.
 *
 * @param {HTMLElement} host
 */
export function watchChecks(host) {
  const boxes = (/** @type {Element} */ within = host) =>
    /** @type {HTMLInputElement[]} */ ($$("input[name=release]", within));
  const chosen = () => boxes().filter(({ checked }) => checked);

  function mark() {
    const n = chosen().length;
    const text = $("[data-picked]", host);
    if (!text) return;
    text.textContent = n ? `${count(n, "release")} chosen` : "";
    $("button[type=submit]", host).disabled = !n;
    for (const batch of $$("[data-batch]", host)) {
      const all = boxes(batch);
      const on = all.filter(({ checked }) => checked).length;
      const box = $("[data-batch-all]", batch);
      box.checked = on === all.length;
      box.indeterminate = on > 0 && on < all.length;
    }
  }

  function set(/** @type {string[]} */ ids) {
    for (const box of boxes()) box.checked = ids.includes(box.value);
    mark();
  }

  host.addEventListener("change", (/** @type {any} */ { target }) => {
    if ("batchAll" in target.dataset)
      for (const box of boxes(target.closest("[data-batch]"))) box.checked = target.checked;
    mark();
  });
  mark();
  return {
    set,
    async redraw(/** @type {() => Promise<any>} */ draw) {
      const ids = chosen().map(({ value }) => value);
      await draw();
      set(ids);
    },
  };
}
