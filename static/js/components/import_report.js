/* What was understood of a file and what was refused: reports, errors and questions as elements. */

import { el } from "../core/dom.js";
import { labelOf, sentenceOf } from "../core/field_errors.js";
import { count, eventNumber, number, percent, plural, whole } from "../core/format.js";

/** Whether an error is best answered with the columns of the file in view. @param {ApiProblem} error */
export const needsColumns = ({ code }) => ["no_position_columns", "no_points", "bad_times"].includes(code ?? "");

/** "line 6", "lines 6, 7 and 9", "lines 6, 7, 9 and 1,204 more" */
export function rows(list, total, unit) {
  const more = total - list.length;
  const text = list.map(String);
  if (more > 0) text.push(`${whole(more)} more`);
  const last = text.length > 1 ? ` and ${text.pop()}` : "";
  return `${total === 1 ? unit : plural(unit)} ${text.join(", ")}${last}`;
}

const title = (heading, text) => el(heading, { class: "report__title" }, text);

function dropped(report, heading) {
  const reasons = Object.entries(report.dropped)
    .filter(([name]) => !name.endsWith("_member")) // those are distinguished, below
    .map(([, reason]) => reason);
  if (!reasons.length) return null;
  const total = reasons.reduce((sum, reason) => sum + reason.count, 0);
  const share = report.rows_read ? ` of ${whole(report.rows_read)} (${percent(total / report.rows_read)})` : "";
  return el(
    "section",
    { class: "report__part" },
    title(heading, `${count(total, report.row_unit)} refused${share}`),
    el(
      "ul",
      { class: "report__list" },
      reasons.map((reason) =>
        el(
          "li",
          {},
          el("span", {}, reason.message),
          el(
            "span",
            { class: "muted" },
            reason.rows.length ? rows(reason.rows, reason.count, report.row_unit) : whole(reason.count),
          ),
        ),
      ),
    ),
  );
}

function noted(report, heading, level, text) {
  const notes = report.notes.filter((note) => note.level === level);
  if (!notes.length) return null;
  return el(
    "section",
    { class: "report__part" },
    title(heading, text),
    el(
      "ul",
      { class: "report__list" },
      notes.map((note) =>
        el(
          "li",
          {},
          el("span", {}, note.member ? `${note.member}: ${note.message}` : note.message),
          note.rows && el("span", { class: "muted" }, rows(note.rows, note.count ?? note.rows.length, report.row_unit)),
        ),
      ),
    ),
  );
}

function cleaned(report, heading) {
  if (!report.cleaning?.length) return null;
  const became = ({ before, after, series_before, series_after }) =>
    [
      before !== after && `${whole(before)} → ${count(after, "event")}`,
      series_before !== series_after && `${whole(series_before)} → ${whole(series_after)} series`,
    ]
      .filter(Boolean)
      .join(", ");
  const which = ({ events, before, after }) =>
    events.length ? ` (${rows(events.map(eventNumber), Math.max(before - after, events.length), "event")})` : "";
  return el(
    "section",
    { class: "report__part" },
    title(heading, "Cleaning"),
    el(
      "ol",
      { class: "report__list" },
      report.cleaning.map((step) =>
        el(
          "li",
          {},
          el("span", {}, `${step.title}: ${step.message}`),
          el("span", { class: "muted" }, (became(step) || "nothing changed") + which(step)),
        ),
      ),
    ),
  );
}

/** `onChange(guess)` is called to correct a guess; without it the guesses are only shown. */
function guessed(report, heading, onChange) {
  if (!report.guesses.length) return null;
  return el(
    "section",
    { class: "report__part" },
    title(heading, "Detected automatically"),
    el(
      "ul",
      { class: "report__list" },
      report.guesses.map((guess) =>
        el(
          "li",
          {},
          el("span", {}, guess.member ? `${guess.member}: ${guess.message}` : guess.message),
          onChange &&
            el(
              "button",
              {
                class: "link",
                type: "button",
                "aria-label": `Change: ${guess.message}`,
                onclick: () => onChange(guess),
              },
              "Change",
            ),
        ),
      ),
    ),
  );
}

function members(report, heading) {
  const skipped = report.members.filter((member) => member.reason);
  if (!skipped.length) return null;
  const why = (member) => member.message || report.dropped[member.reason]?.message;
  return el(
    "section",
    { class: "report__part" },
    title(heading, `${count(skipped.length, "member")} of the archive not read`),
    el(
      "ul",
      { class: "report__list" },
      skipped.map((member) => el("li", {}, el("span", {}, member.name), el("span", { class: "muted" }, why(member)))),
    ),
  );
}

/**
 * "GPX, 20 of 21 points read in 1 series"; of count streams, "CSV or TSV table, 374 timestamps of 1,298 dimensions".
 *
 * @param {any} report
 * @param {{item?: string, dimensions?: number | null}} data what there is most of, dimensions of count streams
 */
export function understood(report, { item = "event", dimensions = null } = {}) {
  const format = report.format_title ?? report.format;
  if (dimensions !== null) return `${format}, ${count(report.kept, item)} of ${count(dimensions, "dimension")}`;
  const kept =
    report.kept === report.rows_read
      ? count(report.kept, item)
      : `${whole(report.kept)} of ${count(report.rows_read, report.row_unit)}`;
  return `${format}, ${kept} read in ${whole(report.series_count)} series`;
}

/**
 * A report; `heading` is the level that fits where it stands.
 *
 * @param {any} report
 * @param {{onChange?: (guess: any) => void, heading?: string}} options
 */
export function renderReport(report, { onChange, heading = "h4" } = {}) {
  return el(
    "div",
    { class: "report" },
    cleaned(report, heading),
    dropped(report, heading),
    noted(report, heading, "warning", "Warnings"),
    guessed(report, heading, onChange),
    noted(report, heading, "info", "Notes"),
    members(report, heading),
  );
}

const PLACE = (error) =>
  [error.row && `Row ${number(error.row, 12)}`, error.column && `column ${error.column}`].filter(Boolean).join(", ");

/**
 * Errors of the API: what, where, and the rule they broke; `after` is a sentence below them.
 *
 * @param {ApiProblem[]} errors
 * @param {string | null} after
 */
export function renderErrors(errors, after = null) {
  return el(
    "div",
    { class: "notice notice--error", role: "alert" },
    errors.map((error) => [
      el("p", {}, el("strong", {}, sentenceOf(error))),
      PLACE(error) && el("p", {}, `${PLACE(error)}.`),
      error.rule &&
        error.field &&
        error.field !== "file" &&
        el("p", { class: "muted" }, `${labelOf(error.field)}: ${error.rule}`),
      error.report && renderReport(error.report),
    ]),
    after && el("p", { class: "muted" }, after),
  );
}

let questions = 0;

/** The owner's question as radio buttons; `onChoose(parameter, value)` receives the answer. */
export function renderQuestion(error, onChoose) {
  questions += 1;
  const name = `question-${questions}`;
  const chosen = error.default ?? error.choices[0]?.value;
  const form = el(
    "form",
    { class: "question" },
    el(
      "fieldset",
      {},
      el("legend", {}, sentenceOf(error)),
      el(
        "div",
        { class: error.choices.length > 6 ? "question__choices question__choices--many" : "question__choices" },
        error.choices.map((choice) =>
          el(
            "label",
            { class: "choice" },
            el("input", { type: "radio", name, value: choice.value, checked: choice.value === chosen, required: true }),
            el("span", {}, choice.label),
          ),
        ),
      ),
    ),
    el("button", { class: "button button--primary" }, "Apply"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onChoose(error.parameter, new FormData(form).get(name));
  });
  return form;
}
