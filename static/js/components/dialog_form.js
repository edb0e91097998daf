/* What the dialogs of a release share: they send what was filled in, and show what was refused. */

import { ApiError } from "../core/api.js";
import { $, el } from "../core/dom.js";
import { sentenceOf } from "../core/field_errors.js";
import { refuseInvalid } from "./number_field.js";

/**
 * `send()` does what was requested; what the API refuses goes to `fail(errors)`, and what that gives back has no field
 * and is shown below them. `clear()` comes before, `ready()` returns whether it may be sent again. Returns
 * complain(errors).
 */
export function createDialogForm(dialog, { clear, send, fail, ready }) {
  const [box, confirm] = ["[data-error]", "[data-confirm]"].map((part) => $(part, dialog));

  function showErrors(errors) {
    box.hidden = !errors.length;
    box.replaceChildren(...errors.map((error) => el("span", sentenceOf(error))));
  }

  $("form", dialog).addEventListener("submit", async (event) => {
    event.preventDefault();
    if (refuseInvalid(dialog)) return;
    clear();
    showErrors([]);
    confirm.disabled = true;
    try {
      await send();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      showErrors(fail(error.errors));
    } finally {
      confirm.disabled = !ready();
    }
  });
  $("[data-close]", dialog).addEventListener("click", () => dialog.close());
  return showErrors;
}
