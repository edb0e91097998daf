/* The place of a page where failures are shown. */

import { ApiError } from "../core/api.js";
import { $, announce, el } from "../core/dom.js";
import { showText } from "../core/elements.js";
import { sentenceOf } from "../core/field_errors.js";

/** {show(message), attempt(action)} for the element `box`; "" hides it, and `attempt` shows what its action throws. */
export function createProblemBox(box) {
  function show(message) {
    showText(box, message);
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

/** What `action` gives; what the API refuses is shown in `box`, which then has the focus. */
export async function attemptIn(box, action) {
  box.hidden = true;
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    showText(box, error.message);
    box.focus();
  }
}

/** Show texts in `box`, a paragraph each; without any it is hidden. @param {HTMLElement} box @param {string[]} texts */
export function showTexts(box, texts) {
  box.replaceChildren(...texts.map((text) => el("p", text)));
  box.hidden = !texts.length;
  if (texts.length) announce(texts.join(" "));
}

/** The same for the problems that no field shows. @param {HTMLElement} box @param {ApiProblem[]} problems */
export const showProblems = (box, problems) => showTexts(box, problems.map(sentenceOf));

/** Go to the first wrong field of `form`, or to `box` where none is. */
export const focusProblem = (form, box) => ($("[aria-invalid=true]", form) ?? box).focus();
