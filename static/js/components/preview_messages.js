/* What a preview of an upload reports beside its rows: the format, guesses, problems, errors. */

import { el } from "../core/dom.js";
import { list } from "../core/elements.js";
import { sentenceOf } from "../core/field_errors.js";

/** @type {Record<string, string>} */
const DELIMITERS = { ",": "commas", ";": "semicolons", "|": "vertical bars", tab: "tabs", space: "spaces" };
const FIXED = "This format fixes the role of each column. To override it, choose a plain table as the format below.";

/** The text of a preview without columns. @param {any} preview */
export const emptyText = ({ says }) => el("p", { class: "small" }, says);

const notice = (/** @type {any[]} */ ...parts) => el("div", { class: "notice notice--error", role: "status" }, parts);

/** @param {ApiProblem} error */
export const errorNotice = (error) => notice(el("p", {}, el("strong", {}, sentenceOf(error))));

/**
 * The preview's problem; `goTo` focuses the field that solves it, if there is one.
 *
 * @param {any} preview
 * @param {(() => void) | undefined} goTo
 */
export const previewProblem = ({ problem, whole }, goTo) =>
  notice(
    el("p", {}, el("strong", {}, problem.message)),
    !whole && el("p", { class: "muted" }, "From the first rows only."),
    goTo && el("p", {}, el("button", { class: "link", type: "button", onclick: goTo }, "Choose below")),
  );

/** Format, delimiters, encoding on one line. @param {any} preview */
export function previewFacts({ title, member, delimiter, decimal, encoding, header, more_columns, editable }) {
  const facts = [
    member ? `${title}, ${member}` : title,
    delimiter && `cells between ${DELIMITERS[delimiter] ?? delimiter}`,
    delimiter && `decimal ${decimal === "," ? "comma" : "point"}`,
    encoding,
    !header && "no header line",
    more_columns && `${more_columns} more columns are not shown`,
  ];
  const line = el("p", { class: "small muted" }, `${facts.filter(Boolean).join(" · ")}.`);
  return editable ? [line] : [line, el("p", { class: "small" }, FIXED)];
}

/** What the server guessed; null if nothing. @param {{guesses: {message: string}[]}} preview */
export function previewGuesses({ guesses }) {
  if (!guesses.length) return null;
  return list(
    { class: "preview__found small", "aria-label": "Detected automatically" },
    guesses.map(({ message }) => message),
  );
}
