/* What a preview of an upload states below its rows: how it was read, what to look at, what was left out. */

import { $, el } from "../core/dom.js";
import { selectOf } from "../core/elements.js";
import { labelOf, sentenceOf } from "../core/field_errors.js";
import { count, whole } from "../core/format.js";
import { titleOf } from "./column_table.js";
import { renderQuestion, renderReport } from "./import_report.js";

/** @type {Record<string, string>} */
const DELIMITERS = { ",": "commas", ";": "semicolons", "|": "vertical bars", tab: "tabs", space: "spaces" };
const FIXED = "This format fixes the role of each column. To override it, choose a plain table as the format below.";
/** @type {Record<string, [string, string]>} Options that a column answers: the button, what the column resembles. */
const COLUMNS = {
  clock: ["Use as the time of day", "time"],
  lon: ["Use as the longitude", "coordinate"],
  lat: ["Use as the latitude", "coordinate"],
  id: ["Use as the series", "person"],
};
/** @type {Record<string, string>} */
const BUTTONS = { time_zone: "Read in this zone", date_order: "Read in this order" };
const DOUBTFUL = ["time_zone"]; // options whose usual value is no finding

const titled = (/** @type {string} */ title, /** @type {any[]} */ ...parts) =>
  el("section", { class: "stack stack--tight" }, el("h2", { class: "label" }, title), parts);

/** Format, rows, delimiters, encoding on one line. @param {any} preview */
export function previewFacts({ title, member, delimiter, decimal, encoding, header, columns, more_columns }) {
  const facts = [
    member ? `${title}, ${member}` : title,
    columns.length && count(columns.length + more_columns, "column"),
    delimiter && `cells between ${DELIMITERS[delimiter] ?? delimiter}`,
    delimiter && `decimal ${decimal === "," ? "comma" : "point"}`,
    encoding,
    columns.length && !header && "no header line",
    more_columns && `${more_columns} more columns are not shown`,
  ];
  return facts.filter(Boolean).join(" · ");
}

const leftOut = (/** @type {any} */ { dropped }) =>
  Object.values(dropped ?? {}).reduce((sum, /** @type {any} */ one) => sum + one.count, 0);

/** "Import 12,400 events in 3 series", and beside it how many rows are read. @param {any} preview */
export function previewTotals({ report, whole: complete, item, problem }) {
  const { rows_read: read = 0, kept = 0, series_count: series = 1, row_unit: unit = "row" } = report;
  if (problem || !read) return { label: "Import", names: "" };
  const out = leftOut(report);
  const rows = `${whole(read - out)} of ${count(read, unit)} are read, ${whole(out)} left out.`;
  const events = ` ${count(kept, item)}${series > 1 ? ` in ${whole(series)} series` : ""}`;
  return complete
    ? { label: `Import${events}`, names: rows }
    : { label: "Import", names: `Of the first rows ${rows} The file has more.` };
}

/**
 * What is below the rows. `mend(option, value)` sets an option and previews again, `go(option)` leads to its field and
 * `keep(message)` leaves out a message from then on; `field(option)` is its field, `kept` what is left out.
 *
 * @param {any} preview
 * @param {{mend: (option: string, value: string) => void, go: (option: string) => void,
 *   keep: (message: string) => void, field: (option: string) => any, kept: Set<string>,
 *   question: ApiProblem | null}} on
 */
export function previewBelow(preview, on) {
  const guesses = preview.report.guesses.filter((/** @type {any} */ { option }) => !DOUBTFUL.includes(option));
  const report = { ...preview.report, columns: preview.columns, guesses };
  const attention = lookAtThis(preview, on);
  const only = ["columns", "guessed", "notes", "members"];
  return [
    attention.length > 0 &&
      el("section", { class: "notice notice--amber import__look" }, el("h2", {}, "Look at this"), attention),
    titled(
      "How it was read",
      preview.says && el("p", {}, preview.says),
      preview.columns.length > 0 && !preview.editable && el("p", { class: "small" }, FIXED),
      renderReport(report, { heading: "h3", only, onChange: ({ option }) => on.go(option) }),
    ),
    report.rows_read > 0 && titled("Rows", renderReport(report, { heading: "h3", only: ["totals", "dropped"] })),
  ].filter(Boolean);
}

/** @param {any} preview @param {any} on */
function lookAtThis(preview, on) {
  const { question, kept } = on;
  const problem = preview.problem ?? question;
  const doubts = preview.report.guesses.filter((/** @type {any} */ one) => DOUBTFUL.includes(one.option));
  const notes = preview.report.notes.filter((/** @type {any} */ one) => one.level === "warning");
  return [
    problem && problemPart(preview, problem, on),
    ...[...notes, ...doubts].filter(({ message }) => !kept.has(message)).map((one) => doubtPart(preview, one, on)),
  ].filter(Boolean);
}

/** @param {any} preview @param {any} problem @param {any} on */
function problemPart({ whole: complete, roles }, problem, { mend, go, field }) {
  if (problem.choices?.length) {
    const question = renderQuestion(problem, mend);
    $(".button", question).classList.remove("button--primary"); // that is to import
    return question;
  }
  const option = problem.parameter ?? problem.field;
  const isRole = roles.some((/** @type {Role} */ { name }) => name === option);
  const link = el("button", { class: "link", type: "button", onclick: () => go(option) }, "Choose below");
  return el(
    "div",
    { role: "status" },
    el("p", {}, el("strong", {}, sentenceOf(problem))),
    !complete && el("p", { class: "muted" }, "From the first rows only."),
    option && field(option) && !isRole && el("p", {}, link),
  );
}

/** @param {any} preview @param {{message: string, option?: string, code?: string}} doubt @param {any} on */
function doubtPart(preview, { message, option, code }, { mend, keep, field }) {
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, style = "") =>
    el("button", { class: `button ${style}`, type: "button", onclick }, text);
  /** @type {any[]} */
  let parts = [];
  if (code === "single_points") parts = [button("Read as one series", () => mend("id", "#0"))];
  else if (option && COLUMNS[option]) {
    const [text, like] = COLUMNS[option];
    const free = preview.columns.filter((/** @type {any} */ { role }) => !role);
    const likely = free.find((/** @type {any} */ { resembles }) => resembles === like) ?? free[0];
    const options = free.map((/** @type {any} */ one) => [one.place, titleOf(one)]);
    const select = selectOf({ "aria-label": `Column: ${text.toLowerCase()}`, value: likely?.place }, options);
    if (likely) select.value = likely.place;
    parts = likely ? [select, button(text, () => mend(option, select.value))] : [];
  } else if (option && field(option)) {
    const control = field(option).cloneNode(true);
    for (const name of ["id", "name", "aria-describedby"]) control.removeAttribute(name);
    control.setAttribute("aria-label", labelOf(option));
    control.classList.add("input");
    if (option === "time_zone") control.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone;
    parts = [control, button(BUTTONS[option] ?? "Apply", () => control.value && mend(option, control.value))];
  }
  if (parts.length) parts.push(button("Keep as they are", () => keep(message), "button--quiet"));
  return el("div", { class: "import__doubt" }, el("p", {}, message), el("div", { class: "row unless-empty" }, parts));
}
