/* Buttons with data-post: cancel a job, or try it again. */

import { post } from "../core/api.js";
import { announce } from "../core/dom.js";

/**
 * Send the request of any [data-post] button that is pressed, then call `changed`.
 *
 * @param {() => unknown} changed
 */
export function watchJobActions(changed) {
  document.addEventListener("click", async (event) => {
    const target = /** @type {Element} */ (event.target);
    const button = /** @type {HTMLButtonElement | null} */ (target.closest("[data-post]"));
    if (!button) return;
    button.disabled = true;
    try {
      await post(button.dataset.post ?? "");
    } catch (error) {
      announce(error instanceof Error ? error.message : String(error));
    }
    await changed();
  });
}
