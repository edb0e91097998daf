/* Checkboxes of a list that the server draws again; those of releases, by batch and one by one. */

import { $, $$ } from "../core/dom.js";
import { count } from "../core/format.js";

/**
 * Watch the checkboxes `box` in `host`, of which one that matches `all` checks those of its `group`. What is chosen is
 * kept apart from the list, which may be drawn again twice in a row; `changed(chosen)` is called whenever it is marked.
 * Returns {chosen, set(values), redraw(draw)}: what `draw()` no longer shows is no longer chosen, so that
 * nothing is deleted that is not seen.
 *
 * @param {HTMLElement} host
 * @param {{box: string, valueOf: (box: any) => string, all: string, group: string}} of
 * @param {(chosen: Set<string>) => void} changed
 */
export function watchBoxes(host, { box, valueOf, all, group }, changed) {
  /** @type {Set<string>} */
  const chosen = new Set();
  const boxesOf = (/** @type {Element} */ one) => $$(box, one.closest(group) ?? host);

  function mark() {
    for (const one of $$(box, host)) one.checked = chosen.has(valueOf(one));
    for (const one of $$(all, host)) {
      const own = boxesOf(one);
      const on = own.filter(({ checked }) => checked).length;
      one.checked = on > 0 && on === own.length;
      one.indeterminate = on > 0 && on < own.length;
    }
    changed(chosen);
  }

  /** @param {string[]} values */
  function set(values) {
    chosen.clear();
    for (const value of $$(box, host).map(valueOf)) if (values.includes(value)) chosen.add(value);
    mark();
  }

  host.addEventListener("change", (/** @type {any} */ { target }) => {
    for (const one of target.matches(all) ? boxesOf(target) : target.matches(box) ? [target] : [])
      chosen[target.checked ? "add" : "delete"](valueOf(one));
    mark();
  });
  return {
    chosen,
    set,
    async redraw(/** @type {() => Promise<any>} */ draw) {
      await draw();
      set([...chosen]);
    },
  };
}

/**
 * Watch the checkboxes named release in `host`; [data-batch-all] selects those of its [data-batch], [data-picked] shows
 * how many there are, and [type=submit] is enabled once one is. Returns what watchBoxes does.
 *
 * @param {HTMLElement} host
 */
export function watchChecks(host) {
  const [box, valueOf] = ["input[name=release]", (/** @type {HTMLInputElement} */ { value }) => value];
  const of = { box, valueOf, all: "[data-batch-all]", group: "[data-batch]" };
  const checks = watchBoxes(host, of, ({ size }) => {
    const text = $("[data-picked]", host);
    if (!text) return;
    text.textContent = size ? `${count(size, "release")} chosen` : "";
    $("button[type=submit]", host).disabled = !size;
  });
  checks.set($$(`${box}:checked`, host).map(valueOf));
  return checks;
}
