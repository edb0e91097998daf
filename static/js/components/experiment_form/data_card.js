/* One choice of the data that an experiment is run on. */

import { el } from "../../core/dom.js";
import { selectOf } from "../../core/elements.js";
import { whole } from "../../core/format.js";

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

/**
 * The choice of one of the owner's datasets, with `more` beside it; where there is none, a link to upload one.
 * `items` is what they are counted in.
 */
export function ownDataset({ datasets, urls }, items, onchange, ...more) {
  const options = datasets.map(({ id, name, points }) => [id, `${name} · ${whole(points)} ${items}`]);
  const select = selectOf({ name: "own-dataset", "aria-label": "Dataset", onchange }, options);
  const element = datasets.length
    ? el("div", { class: "data__own" }, select, more)
    : el("p", { class: "small data__own" }, el("a", { href: urls.upload }, "Upload a file"), " to choose it here.");
  return { select, element };
}
