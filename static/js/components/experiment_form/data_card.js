/* One choice of the data that an experiment is run on. */

import { el } from "../../core/dom.js";

/**
 * A card with the radio button `input`, what it chooses, and further fields below.
 *
 * @param {HTMLInputElement} input
 * @param {string} title
 * @param {string} description
 * @param {Node | null} [more]
 */
export const dataCard = (input, title, description, more = null) =>
  el(
    "div",
    { class: "purpose__one" },
    el("label", { class: "purpose__name" }, input, title),
    el("p", { class: "small muted" }, description),
    more,
  );
