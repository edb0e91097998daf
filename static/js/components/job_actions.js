/* Buttons with data-post: cancel a job, retry it, duplicate a row. */

import { post } from "../core/api.js";
import { announce } from "../core/dom.js";

/**
 * Send the request of any [data-post] button that is pressed, then call `changed`; `done` before it, with the button
 * and the response, if the request succeeded.
 *
 * @param {() => unknown} changed
 * @param {(button: HTMLButtonElement, response: any) => void} [done]
 */
export function watchJobActions(changed, done) {
  document.addEventListener("click", async (event) => {
    const target = /** @type {Element} */ (event.target);
    const button = /** @type {HTMLButtonElement | null} */ (target.closest("[data-post]"));
    if (!button) return;
    button.disabled = true;
    try {
      const response = await post(button.dataset.post ?? "");
      done?.(button, response);
    } catch (error) {
      announce(error instanceof Error ? error.message : String(error));
    }
    await changed();
  });
}
