/* The form of an experiment keeps what was typed, apart for each beginning: a preset, a copy, a dataset. */

import { $$ } from "../../core/dom.js";
import { discard, keyOf } from "../../core/form_memory.js";
import { keepForm } from "../kept_form.js";
import { beginningOf } from "./beginning.js";

/**
 * Keep the form `root` as keepForm does. A preset in `presets` that is chosen begins as it is: what was typed after an
 * earlier choice of it is discarded.
 *
 * @param {HTMLElement} root
 * @param {string} usual the kind of data where none is named
 * @param {{more: {read: () => any, apply: (value: any) => void}, batch: (set: () => void) => void}} options
 */
export function keepExperiment(root, usual, options) {
  const name = beginningOf(location.search, usual);
  const kept = keepForm(root, { ...options, name });
  for (const link of /** @type {HTMLAnchorElement[]} */ ($$("[data-begins]", root)))
    link.addEventListener("click", (event) => {
      const chosen = beginningOf(link.search, usual);
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // in another tab, which has its own memory
      if (chosen === name) kept.forget();
      else discard(keyOf(link.pathname + chosen));
    });
  return kept;
}
