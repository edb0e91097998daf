/* What releases promise and do not cover, where the server's quote needs the upload alone. */

import { $, el } from "../../core/dom.js";
import { list, quantity } from "../../core/elements.js";
import { capitalized, number } from "../../core/format.js";
import { factorText } from "./odds.js";

const sentence = (/** @type {string} */ text) => `${capitalized(text)}${text.endsWith(".") ? "" : "."}`;
const shared = (/** @type {any[]} */ some, /** @type {(one: any) => string[]} */ part) =>
  part(some[0]).filter((text) => some.every((one) => part(one).includes(text)));

/**
 * Show what `promises` of the quote state in `host`, [] for none; `short(row)` is the guarantee of one of `rows` as the
 * texts before and after the factor of odds, `more` are further things that are not covered.
 */
export function showPromises(host, promises, { rows = [], epsilon = 0, short, more = [], noun }) {
  const section = $("[data-uncovered]", host);
  section.hidden = !promises.length;
  $("[data-statements]", host).replaceChildren(...promises.flatMap(inFull));
  if (!promises.length) {
    $("[data-promises]", host).replaceChildren(`Tick a ${noun} to read what it guarantees.`);
    return;
  }
  const stated = new Map();
  promises.forEach((one, i) => {
    const text = one.publishable ? short(rows[i]) : [one.statement];
    const known = stated.get(String(text)) ?? { text, titles: [] };
    stated.set(String(text), { text, titles: [...known.titles, rows[i].title] });
  });
  const sentenceOf = ({ text: [before, after], titles }) => [
    el("strong", {}, stated.size > 1 ? `${titles.join(", ")}: ` : "Guarantee. "),
    before,
    after === undefined ? " " : [quantity("odds", factorText(epsilon)), `${after} `],
  ];
  $("[data-promises]", host).replaceChildren(...[...stated.values()].flatMap(sentenceOf).flat());
  $("h3", section).textContent = promises.length > 1 ? "Not covered by any of these" : "Not covered";
  const uncovered = shared(promises, (one) => one.not_covered).map((text) => sentence(text.replace(/ \(.*\)$/, "")));
  const items = [...more, ...uncovered, ...shared(promises, (one) => one.caveats)];
  $("[data-uncovered-list]", section).replaceChildren(list({}, items));
}

const inFull = ({ title, statement, assumptions, caveats, noise_sd: sd, noise_varies: varies, public_baseline }) => [
  el("h3", { class: "small" }, title),
  el("p", { class: "small" }, sentence(statement)),
  list({ class: "small muted" }, [
    ...assumptions.map((text) => `Assumes: ${text}`),
    ...caveats,
    `Standard deviation of the noise of one newly sampled count: ${varies ? "at least " : ""}${number(sd)}.`,
    ...(public_baseline ? [public_baseline] : []),
  ]),
];
