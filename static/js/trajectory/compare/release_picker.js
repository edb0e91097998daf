/* The dialog that chooses the releases of the comparison; its form leads to their comparison. */

import { watchChecks } from "../../components/release_checks.js";
import { $ } from "../../core/dom.js";

/** Open `dialog` by `button`, with the releases chosen that are shown(). */
export function createPicker(dialog, button, shown) {
  const checks = watchChecks($("form", dialog));
  $("[data-close]", dialog).addEventListener("click", () => dialog.close());
  button.addEventListener("click", () => {
    checks.set(shown());
    dialog.showModal();
  });
}
