/* The form of an experiment keeps what was typed, apart for each beginning: a preset, a copy, a dataset. */

import { $$ } from "../../core/dom.js";
import { discard, keyOf } from "../../core/form_memory.js";
import { keepForm } from "../kept_form.js";

const BEGINNINGS = ["preset", "from", "release"];

/**
 * What a form begins with, by the query of its address: the same for "" and "?kind=trajectory".
 *
 * @param {string} search
 */
export function beginningOf(search) {
  const parameters = new URLSearchParams(search);
  const found = [...BEGINNINGS, "dataset"].filter((name) => parameters.get(name));
  if (!found.some((name) => BEGINNINGS.includes(name))) parameters.set("kind", parameters.get("kind") ?? "trajectory");
  else parameters.delete("kind"); // it follows
  return [...found, "kind"]
    .filter((name) => parameters.has(name))
    .map((name) => `${name}=${parameters.get(name)}`)
    .join("&");
}

/**
 * Keep the form `root` as keepForm does. A preset in `presets` that is chosen begins as it is: what was typed after an
 * earlier choice of it is discarded.
 *
 * @param {HTMLElement} root
 * @param {{more: {read: () => any, apply: (value: any) => void}, batch: (set: () => void) => void}} options
 */
export function keepExperiment(root, options) {
  const name = beginningOf(location.search);
  const kept = keepForm(root, { ...options, name });
  for (const link of /** @type {HTMLAnchorElement[]} */ ($$("[data-begins]", root)))
    link.addEventListener("click", (event) => {
      const chosen = beginningOf(link.search);
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // in another tab, which has its own memory
      if (chosen === name) kept.forget();
      else discard(keyOf(link.pathname + chosen));
    });
  return kept;
}
