/* The folds of the experiment form: one line of what is set in each; a fold with an invalid field opens. */

import { $, $$ } from "../../core/dom.js";

const INVALID = "A value is missing or invalid: see the marked field.";

/** Whether something in `fold` is marked as wrong, fields that are not offered left out. @param {Element} fold */
export const isInvalid = (fold) =>
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
