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
  /** @type {Set<string>} */
  let chosen = new Set(); // kept apart from the list, which may be drawn again twice in a row

  function mark() {
    const n = chosen.size;
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

  function set(/** @type {Iterable<string>} */ ids) {
    const wanted = new Set(ids);
    for (const box of boxes()) box.checked = wanted.has(box.value);
    read();
  }

  function read() {
    chosen = new Set(
      boxes()
        .filter(({ checked }) => checked)
        .map(({ value }) => value),
    );
    mark();
  }

  host.addEventListener("change", (/** @type {any} */ { target }) => {
    if ("batchAll" in target.dataset)
      for (const box of boxes(target.closest("[data-batch]"))) box.checked = target.checked;
    read();
  });
  read();
  return {
    set,
    async redraw(/** @type {() => Promise<any>} */ draw) {
      await draw();
      set(chosen);
    },
  };
}
