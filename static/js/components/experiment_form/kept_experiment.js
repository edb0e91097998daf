/* The form of an experiment keeps what was typed, and shows in a line what each of its folds holds. */

import { $, $$ } from "../../core/dom.js";
import { discard, keyOf } from "../../core/form_memory.js";
import { keepForm } from "../kept_form.js";

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

const BEGINNINGS = ["preset", "from", "release"];

/**
 * What a form begins with, by the query of its address: the same for "" and "?kind=" with the usual kind.
 *
 * @param {string} search
 * @param {string} usual
 */
export function beginningOf(search, usual) {
  const parameters = new URLSearchParams(search);
  const found = [...BEGINNINGS, "dataset"].filter((name) => parameters.get(name));
  if (!found.some((name) => BEGINNINGS.includes(name))) parameters.set("kind", parameters.get("kind") ?? usual);
  else parameters.delete("kind"); // it follows
  return [...found, "kind"]
    .filter((name) => parameters.has(name))
    .map((name) => `${name}=${parameters.get(name)}`)
    .join("&");
}

const INVALID = "A value is missing or invalid: see the marked field.";

/** Whether something in `fold` is marked as wrong, fields that are not offered left out. @param {Element} fold */
const isInvalid = (fold) =>
  $$("[aria-invalid=true], .field__error", fold).some(
    (one) => !one.closest("[hidden]") && (one.matches("[aria-invalid=true]") || Boolean(one.textContent)),
  );

/**
 * The folds of `form`, its elements with data-fold. `show(lines, {keep})` sets their lines by name; the first lines
 * that are kept are those that later ones are compared with; `check({open})` marks folds with an invalid field, and
 * opens them.
 *
 * @param {HTMLElement} form
 */
export function createFolds(form) {
  const folds = $$("[data-fold]", form);
  /** @type {Record<string, string>} */
  let lines = {};
  /** @type {Record<string, string> | null} */
  let kept = null;

  function draw() {
    for (const fold of folds) {
      const name = fold.dataset.fold ?? "";
      const [line, mark] = [$("[data-fold-line]", fold), $("[data-fold-mark]", fold)];
      const wrong = isInvalid(fold);
      line.textContent = wrong ? INVALID : (lines[name] ?? "");
      line.classList.toggle("fold__line--wrong", wrong);
      const changed = kept !== null && name in kept && kept[name] !== lines[name];
      mark.textContent = kept === null || !(name in kept) ? "" : changed ? "changed" : mark.dataset.from;
      mark.classList.toggle("fold__mark--changed", changed);
    }
  }

  return {
    show(/** @type {Record<string, string>} */ now, { keep = false } = {}) {
      lines = now;
      if (keep) kept ??= lines;
      draw();
    },
    check({ open = false } = {}) {
      for (const fold of /** @type {HTMLDetailsElement[]} */ (folds)) fold.open ||= open && isInvalid(fold);
      draw();
    },
  };
}
