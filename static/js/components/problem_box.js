/* The place of a page where failures are shown. */

import { announce } from "../core/dom.js";

/** {show(message), attempt(action)} for the element `box`; "" hides it, and `attempt` shows what its action throws. */
export function createProblemBox(box) {
  function show(message) {
    box.hidden = !message;
    box.textContent = message;
    if (message) announce(message);
  }

  async function attempt(action) {
    try {
      show("");
      await action();
    } catch (error) {
      if (error.name !== "AbortError") show(error.message);
    }
  }

  return { show, attempt };
}
