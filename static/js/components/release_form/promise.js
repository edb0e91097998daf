/* What the releases chosen promise in a sentence, and what they do not cover. */

import { $, el } from "../../core/dom.js";
import { list } from "../../core/elements.js";

/** Each sentence of `stated` once, with the releases that state it: {title, text, nodes}, its text without these. */
export function statements(stated) {
  const byText = new Map();
  for (const { title, text, nodes = [`${text} `] } of stated) {
    const { titles = [] } = byText.get(text) ?? {};
    byText.set(text, { titles: [...titles, title], nodes });
  }
  return [...byText.values()].flatMap(({ titles, nodes }) => [
    el("strong", {}, byText.size > 1 ? `${titles.join(", ")}: ` : "Guarantee. "),
    ...nodes,
  ]);
}

/** Show in `host` the `nodes` on `many` releases, and what they do not cover; `noun` is what may be ticked. */
export function showPromise(host, many, { nodes, uncovered, noun }) {
  const section = $("[data-uncovered]", host);
  section.hidden = !many;
  $("[data-promises]", host).replaceChildren(...(many ? nodes : [`Tick a ${noun} to read what it guarantees.`]));
  $("h3", section).textContent = many > 1 ? "Not covered by any of these" : "Not covered";
  $("[data-uncovered-list]", section).replaceChildren(list({}, uncovered));
}
