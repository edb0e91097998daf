/* What a preview of an upload states below its rows: how it was read, what to look at, what was left out. */

import { $, el } from "../core/dom.js";
import { factList, icon, selectOf } from "../core/elements.js";
import { labelOf, sentenceOf } from "../core/field_errors.js";
import { capitalized, count, whole } from "../core/format.js";
import { roleTitle, titleOf } from "./column_table.js";
import { leftOut, renderQuestion, renderReport, rows, sentencesOf, SHOWN_NAMES, textOf } from "./import_report.js";

const WARNING = "M8 2 15 14H1ZM8 6.5v3.5M8 12v.1";
const NOT_USED = "Not used";
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
const ELSEWHERE = [...DOUBTFUL, "delimiter", "decimal", "encoding"]; // guesses that stand in the box or the heading
const COVERED = new Set(["clock", "year", "month", "day", "hour", "minute", "second", "hhmm"]); // by that of the time

const titled = (/** @type {string} */ title, /** @type {any[]} */ ...parts) =>
  el("section.stack.gap-1", el("h2.label", title), parts);

/**
 * Rows and columns, then separator, decimals and encoding with a button to them.
 *
 * @param {any} preview
 * @param {(option: string) => void} go
 */
export function previewFacts({ title, member, report, whole: complete, columns, more_columns, ...table }, go) {
  const { delimiter, decimal, encoding, header } = table;
  const size = [
    member,
    complete && report.rows_read > 0 && count(report.rows_read, report.row_unit),
    columns.length > 0 && count(columns.length + more_columns, "column"),
    more_columns > 0 && `${more_columns} more columns are not shown`,
  ];
  const details = [
    title,
    delimiter && `separator ${delimiter}`,
    delimiter && `decimal ${decimal === "," ? "comma" : "point"}`,
    encoding,
    columns.length > 0 && !header && "no header line",
  ];
  const change = el("button.link", { onclick: () => go("delimiter") }, "Change");
  const texts = [size, details].map((some) => some.filter(Boolean).join(" · "));
  return [el("span", texts[0]), el("span.wide-only", texts[0] && " · ", texts[1], delimiter && [" · ", change])];
}

/** "Import 12,400 events of 3 people", and beside it how many rows are read. */
export function previewTotals({ report, whole: complete, item, problem }) {
  const { rows_read: read = 0, kept = 0, series_count: series = 1, row_unit: unit = "row", people } = report;
  if (problem || !read) return { label: "Import", names: "" };
  const { total } = leftOut(report);
  const rows = `${whole(read - total)} of ${count(read, unit)} are read, ${whole(total)} left out.`;
  const of =
    people?.count > 1 ? ` of ${count(people.count, "person")}` : series > 1 ? ` in ${whole(series)} series` : "";
  return complete
    ? { label: `Import ${count(kept, item)}${of}`, names: rows }
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
  const { report, columns, editable, says } = preview;
  const attention = lookAtThis(preview, on);
  return [
    attention.length > 0 &&
      el("section.notice.notice--amber.import__look.stack.gap-2", el("h2", icon(WARNING), "Look at this"), attention),
    titled(
      "How it was read",
      says && el("p", says),
      columns.length > 0 && !editable && el("p.small", FIXED),
      factList({ class: "import__facts unless-empty" }, howItWasRead(preview, on)),
      renderReport(report, { heading: "h3", only: ["members"] }),
    ),
    !preview.problem && report.rows_read > 0 && rowsPart(report),
  ].filter(Boolean);
}

/** Facts: each role with its columns, what is not used, what else was decided, notes. @param {any} preview
 * @param {any} on */
function howItWasRead(preview, { go }) {
  const { columns, report } = preview;
  /** @type {Map<string, any[]>} */
  const facts = new Map();
  const add = (/** @type {string} */ title, /** @type {any[]} */ ...what) =>
    facts.set(title, [...(facts.get(title) ?? []), el("p", what)]);
  const used = [...columns].sort((a, b) => Number(!a.role) - Number(!b.role));
  for (const { role, sentence, names } of sentencesOf(used))
    if (!COVERED.has(role)) add(role ? titleOfRole(preview, role) : NOT_USED, namesOf(names), `: ${sentence}`);
  const rest = columns.filter((one) => !one.role && !one.sentence).map(titleOf);
  if (rest.length) add(NOT_USED, namesOf(rest), rest.length > 1 ? " are not stored." : " is not stored.");
  const roles = columns.map(({ role }) => role);
  for (const guess of report.guesses.filter(({ option }) => ![...ELSEWHERE, ...roles].includes(option))) {
    const attributes = { class: "link", "aria-label": `Change: ${guess.message}` };
    add("Detected", textOf(guess), " ", el("button", { ...attributes, onclick: () => go(guess.option) }, "Change"));
  }
  for (const note of report.notes.filter(({ level }) => level === "info")) add("Notes", textOf(note));
  return [...facts];
}

const titleOfRole = (preview, /** @type {string} */ role) =>
  ["lon", "lat", "geometry", "lon_sign", "lat_sign"].includes(role) ? "Position" : roleTitle(preview, role);
const namesOf = (/** @type {string[]} */ names) => {
  const more = names.length - SHOWN_NAMES;
  const shown = names.slice(0, SHOWN_NAMES).map((name, i) => [i ? ", " : "", el("code", name)]);
  return [shown, more > 0 ? ` and ${whole(more)} more` : ""];
};

/** How many rows were read, and how many were not for each reason, with their numbers. */
function rowsPart(report) {
  const { rows_read: read, row_unit: unit } = report;
  const { reasons, total } = leftOut(report);
  const of = el("span.muted.small", `of ${count(read, unit)}`);
  const facts = reasons.map((one) => [`Left out: ${one.title}`, whole(one.count)]);
  const numbered = reasons.filter((one) => one.rows.length);
  return el(
    "section.stack.gap-1",
    el("div.row.apart", el("h2.label", "Rows"), of),
    factList({ class: "import__counts" }, [["Read", whole(read - total)], ...facts]),
    numbered.length > 0 &&
      el(
        "details",
        el("summary.small", `Show the ${count(total, unit)}`),
        numbered.map((one) => el("p.small", `${capitalized(rows(one.rows, one.count, unit))}: ${one.message}`)),
      ),
  );
}

function lookAtThis(preview, on) {
  const { question, kept } = on;
  const problem = preview.problem ?? question;
  const doubts = preview.report.guesses.filter((one) => DOUBTFUL.includes(one.option));
  const notes = preview.report.notes.filter((one) => one.level === "warning");
  return [
    problem && problemPart(preview, problem, on),
    ...[...notes, ...doubts].filter(({ message }) => !kept.has(message)).map((one) => doubtPart(preview, one, on)),
  ].filter(Boolean);
}

function problemPart({ whole: complete, roles }, problem, { mend, go, field }) {
  if (problem.choices?.length) {
    const question = renderQuestion(problem, mend);
    $(".button", question).classList.remove("button--primary"); // that is to import
    return question;
  }
  const option = problem.parameter ?? problem.field;
  const isRole = roles.some((/** @type {Role} */ { name }) => name === option);
  const link = el("button.link", { onclick: () => go(option) }, "Choose below");
  return el(
    "div",
    { role: "status" },
    el("p", el("strong", sentenceOf(problem))),
    !complete && el("p.muted", "From the first rows only."),
    option && field(option) && !isRole && el("p", link),
  );
}

/** @param {any} preview @param {any} doubt a note or a guess @param {any} on */
function doubtPart(preview, { message, option, code, rows: some, count: n }, { mend, keep, field }) {
  const unit = preview.report.row_unit;
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, style = "") =>
    el("button", { class: `button ${style}`, onclick }, text);
  /** @type {any[]} */
  let parts = [];
  if (code === "single_points") parts = [button("Read as one series", () => mend("id", "#0"))];
  else if (code === "other_columns") parts = [button("Detect the kind of data", () => mend("kind", ""))];
  else if (option && COLUMNS[option]) {
    const [text, like] = COLUMNS[option];
    const free = preview.columns.filter(({ role }) => !role);
    const likely = free.find(({ resembles }) => resembles === like) ?? free[0];
    const options = free.map((one) => [one.place, titleOf(one)]);
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
  parts.push(button("Keep as they are", () => keep(message), "button--quiet"));
  const where = some?.length ? ` ${capitalized(rows(some.slice(0, 3), n, unit))}.` : "";
  return el("div.import__doubt.stack.gap-2", el("p", message, where), el("div.row", parts));
}
