/* The answer of a comparison, of any kind of data: which release can be used, how far off it is, what to do next. */

import { $, el } from "../core/dom.js";
import { quantity } from "../core/elements.js";
import { swatch } from "../core/swatch.js";
import { verdictText } from "./verdict_text.js";

const ANSWERS = ["usable", "coarse"];

/** A figure of the answer. @param {string} name @param {string} text */
export const figure = (name, text) => el("b", {}, quantity(name, text));

/** The one thing to do next: what can be used is published or explained, else another release is made. */
function next({ urls }, usable, title, form) {
  const link = (href, text, name) => el("a", { class: "button button--small", href, "aria-label": name }, text);
  if (usable && urls.publish) return link(urls.publish, "Publish", `Publish ${title}`);
  if (usable) return link(urls.explain, "Explain", `Explain ${title}`);
  return link(form, "Make another release", null);
}

/** What of the answer follows from a `row` of a page, the best of `many`. @param {any} row @param {number} many */
export const answerOf = ({ heading: name, short: level, style, seeded: isSeeded, urls }, many) => ({
  ...{ name, level, style, isSeeded, release: { urls } },
  of: [many > 1 ? `best of ${many}` : ""],
});

/**
 * Show on the card of the page the answer of the best `release`, of which the page has {urls}; null where none is done.
 *
 * @param {{release: any, isSeeded: boolean, verdict: any, style: any, name: string, level: string, of: any[],
 *   figures: any[], more?: any[]} | null} answer `of` what it is the best, `figures` a sentence, `more` below it
 * @param {string} form the page that makes another release
 */
export function showAnswer(answer, form) {
  const host = $("[data-answer]");
  if (!answer) {
    host.replaceChildren(el("p", { class: "muted" }, "No release is finished yet."));
    return;
  }
  const { release, isSeeded, verdict, style, name, level, of, figures, more = [] } = answer;
  const usable = ANSWERS.includes(verdict?.name) && !isSeeded;
  const text = verdict ? verdictText(verdict) : "No verdict";
  const made = el(
    "div",
    {},
    el(
      "div",
      { class: "answer__head line" },
      swatch(style),
      el("h2", {}, usable ? name : `None can be used, best is ${name}`),
      el("span", { class: "small muted" }, ...(isSeeded ? ["a simulation"] : of)),
    ),
    el(
      "p",
      {},
      el("b", {}, text.includes(":") ? [text, el("br")] : `${text}: `),
      ...figures,
      ". ",
      el("span", { class: "muted" }, level),
    ),
    el(
      "div",
      { class: "answer__next" },
      ...more,
      next(release, usable, [name, level].filter(Boolean).join(" · "), form),
    ),
  );
  if (made.innerHTML !== host.innerHTML) host.replaceChildren(...made.childNodes); // or it would be announced again
}
