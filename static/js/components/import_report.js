/* What was understood of a file and what was refused: reports, errors and questions as elements. */

import { el } from "../core/dom.js";
import { choice } from "../core/elements.js";
import { labelOf, sentenceOf } from "../core/field_errors.js";
import { capitalized, count, eventNumber, moment, number, percent, plural, whole } from "../core/format.js";

export const SHOWN_NAMES = 12; // of columns that are alike

/** Whether an error is best answered with the columns of the file in view. @param {ApiProblem} error */
export const needsColumns = ({ code }) =>
  ["no_position_columns", "no_checkin_columns", "no_points", "bad_times"].includes(code ?? "");

/** "line 6", "lines 6, 7 and 9", "lines 6, 7, 9 and 1,204 more" */
export function rows(list, total, unit) {
  const more = total - list.length;
  const text = list.map((row) => whole(row));
  if (more > 0) text.push(`${whole(more)} more`);
  const last = text.length > 1 ? ` and ${text.pop()}` : "";
  return `${total === 1 ? unit : plural(unit)} ${text.join(", ")}${last}`;
}

/**
 * The rows of a report that were left out: how many, and for each reason its title, sentence, count and first rows. Of
 * an archive these have no numbers: they are of several files. Members that were left out are no rows.
 */
export function leftOut({ dropped: found = {}, members: all = [] }) {
  const isMixed = all.filter(({ reason }) => !reason).length > 1;
  const reasons = Object.entries(found)
    .filter(([name]) => !name.endsWith("_member"))
    .map(([, reason]) => ({ ...reason, title: titleOf(reason.message), rows: isMixed ? [] : reason.rows }));
  return { reasons, total: reasons.reduce((sum, reason) => sum + reason.count, 0) };
}

/** The beginning of a sentence: "a value is empty". @param {string} message */
const titleOf = (message) => message.split(/[:,.](?: |$)/)[0].replace(/^(A|The) /, (one) => one.toLowerCase());

/** Each part of a report is [title, its lines]; a line is [text, what is beside it or nothing]. */
function dropped(report) {
  const { reasons, total } = leftOut(report);
  const { rows_read: read, row_unit: unit } = report;
  const share = read ? ` of ${whole(read)} (${percent(total / read)})` : "";
  const where = ({ rows: some, count: n }) => (some.length ? rows(some, n, unit) : whole(n));
  return [`${count(total, unit)} refused${share}`, reasons.map((reason) => [reason.message, where(reason)])];
}

export const textOf = ({ member, message }) => (member ? `${member}: ${message}` : message);

function noted({ notes, row_unit: unit }, level, title) {
  const where = ({ rows: some, count: n }) => some && rows(some, n ?? some.length, unit);
  return [title, notes.filter((note) => note.level === level).map((note) => [textOf(note), where(note)])];
}

function cleaned({ cleaning }) {
  const became = ({ before, after, series_before, series_after }) =>
    [
      before !== after && `${whole(before)} → ${count(after, "event")}`,
      series_before !== series_after && `${whole(series_before)} → ${whole(series_after)} series`,
    ]
      .filter(Boolean)
      .join(", ");
  const which = ({ events, before, after }) =>
    events.length ? ` (${rows(events.map(eventNumber), Math.max(before - after, events.length), "event")})` : "";
  const line = (step) => [`${step.title}: ${step.message}`, (became(step) || "nothing changed") + which(step)];
  return ["Cleaning", (cleaning ?? []).map(line), "ol"];
}

/** `onChange(guess)` is called to correct a guess, without it they are only shown; columns have a part of their own. */
function guessed({ guesses: all, columns = [] }, onChange) {
  const guesses = all.filter(({ option }) => !columns.some(({ role }) => role === option));
  const button = (guess) => {
    const name = `Change: ${guess.message}`;
    return el("button.link", { "aria-label": name, onclick: () => onChange(guess) }, "Change");
  };
  return ["Detected automatically", guesses.map((guess) => [textOf(guess), onChange && button(guess)])];
}

function members({ members: all = [], dropped: found }) {
  const skipped = all.filter(({ reason }) => reason);
  const line = ({ name, message, reason }) => [name, message || found[reason]?.message];
  return [`${count(skipped.length, "member")} of the archive not read`, skipped.map(line)];
}

/**
 * What columns were read as, each sentence once with the role and the names of its columns; those without none.
 *
 * @param {{name: string, role: string, sentence: string, place?: string}[]} columns
 */
export function sentencesOf(columns) {
  /** @type {Map<string, {role: string, sentence: string, names: string[]}>} */
  const alike = new Map();
  columns.forEach(({ name, role, sentence, place }, i) => {
    const one = alike.get(sentence) ?? { role, sentence, names: [] };
    one.names.push(name || `column ${place?.slice(1) ?? i + 1}`);
    if (sentence) alike.set(sentence, one);
  });
  return [...alike.values()];
}

function columnsOf({ columns }) {
  const more = (some) => (some.length > SHOWN_NAMES ? ` and ${whole(some.length - SHOWN_NAMES)} more` : "");
  const text = (some) => some.slice(0, SHOWN_NAMES).join(", ") + more(some);
  return ["Columns", sentencesOf(columns ?? []).map(({ names, sentence }) => [text(names), sentence])];
}

/** The first rows: as read, and raw beside. */
function first({ first: rowsRead, row_unit: unit }) {
  const line = ({ row, read, raw }) => [`${capitalized(unit)} ${whole(row)}: ${rowAsRead(read) || "left out"}`, raw];
  const lines = (rowsRead ?? []).map(line).map(([text, raw]) => [text, (raw ?? []).filter(Boolean).join(" · ")]);
  return ["First rows as read", lines];
}

const lineOf = ([text, beside]) =>
  el("li", el("span", text), typeof beside === "string" ? el("span.muted", beside) : beside);

/** What there is most of, of kinds of data that are not read in series. */
const ITEMS = { stream: "timestamp", checkins: "check-in" };

/**
 * "GPX, 20 of 21 points read in 1 series"; "CSV or TSV table, 3,000 check-ins of 40 users"; of count streams whose
 * `dimensions` are known, "CSV or TSV table, 374 timestamps of 1,298 dimensions".
 *
 * @param {any} report
 * @param {{dimensions?: number | null, users?: number | null}} data as stored: reports of before have no users
 */
export function understood(report, { dimensions = null, users = null } = {}) {
  const format = report.format_title ?? report.format;
  const item = ITEMS[report.kind] ?? "event";
  if (dimensions !== null) return `${format}, ${count(report.kept, item)} of ${count(dimensions, "dimension")}`;
  const kept =
    report.kept === report.rows_read
      ? count(report.kept, item)
      : `${whole(report.kept)} of ${count(report.rows_read, report.row_unit)}`;
  const of = users === null ? "" : ` of ${count(users, "user")}`;
  return `${format}, ${kept}${report.kind in ITEMS ? of : ` read in ${whole(report.series_count)} series`}`;
}

/** Why less than half was read, if so: the most frequent reason. */
export function whyFew({ kept, rows_read: read, dropped: found, row_unit: unit }) {
  const [most] = Object.values(found).sort((a, b) => b.count - a.count);
  return most && kept < read / 2 ? `${count(most.count, unit)} refused: ${most.message}` : "";
}

/** {@link understood} and other facts as a paragraph, in amber where most of the file was not read. */
export function understoodLine(report, known = {}, ...facts) {
  const why = typeof known.dimensions === "number" ? "" : whyFew(report);
  const text = [understood(report, known), ...facts].join(" · ");
  return el("p", { class: why ? "notice notice--amber" : null }, text, why && [el("br"), el("strong", why)]);
}

/** @type {Record<string, (report: any, onChange?: (guess: any) => void) => any[]>} */
const PARTS = {
  cleaned,
  dropped,
  warnings: (report) => noted(report, "warning", "Warnings"),
  columns: columnsOf,
  guessed,
  notes: (report) => noted(report, "info", "Notes"),
  first,
  members,
};

/**
 * The parts of a report that are named; `heading` is the level that fits where it stands.
 *
 * @param {any} report
 * @param {{onChange?: (guess: any) => void, heading?: "h3" | "h4", only?: string[]}} options
 */
export function renderReport(report, { onChange, heading = "h4", only = Object.keys(PARTS) } = {}) {
  const parts = only.map((name) => PARTS[name](report, onChange)).filter(([, lines]) => lines.length);
  const partOf = (/** @type {any} */ [title, lines, tag = "ul"]) =>
    el(
      "section.report__part",
      el(heading, { class: "report__title small muted" }, title),
      el(tag, { class: "listing" }, lines.map(lineOf)),
    );
  return el("div.report.unless-empty", parts.map(partOf));
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
    "div.notice.notice--error",
    { role: "alert" },
    errors.map((error) => [
      el("p", el("strong", sentenceOf(error))),
      PLACE(error) && el("p", `${PLACE(error)}.`),
      error.rule && error.field && error.field !== "file" && el("p.muted", `${labelOf(error.field)}: ${error.rule}`),
      error.report && renderReport(error.report),
    ]),
    after && el("p.muted", after),
  );
}

let questions = 0;

/** The owner's question as radio buttons; `onChoose(parameter, value)` receives the answer. */
export function renderQuestion(error, onChoose) {
  questions += 1;
  const name = `question-${questions}`;
  const chosen = error.default ?? error.choices[0]?.value;
  const one = ({ value, label }) =>
    choice(el("input", { type: "radio", name, value, checked: value === chosen, required: true }), label);
  const many = error.choices.length > 6 ? " question__choices--many" : "";
  const form = el(
    "form.question",
    el(
      "fieldset",
      el("legend", sentenceOf(error)),
      el("div", { class: `question__choices${many}` }, error.choices.map(one)),
    ),
    el("button.button.button--primary", { type: "submit" }, "Apply"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onChoose(error.parameter, new FormData(form).get(name));
  });
  return form;
}

const degrees = (/** @type {string} */ text, /** @type {string[]} */ [positive, negative]) =>
  `${Math.abs(Number(text)).toFixed(5)}° ${text.startsWith("-") ? negative : positive}`;

/** @type {Record<string, (text: string, zone: string) => string>} */
const FORMATS = {
  time: (text, zone) => (/^\d{4}-/.test(text) ? local(text, zone) : text),
  lon: (text) => degrees(text, ["E", "W"]),
  lat: (text) => degrees(text, ["N", "S"]),
};

/** An instant on the clocks of a zone, with their offset; in UTC where the browser does not know the zone. */
function local(/** @type {string} */ text, /** @type {string} */ zone) {
  const [offset, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)/.exec(zone && offsetText(text, zone)) ?? [];
  const ahead_s = offset ? Number(`${sign}1`) * 60 * (60 * Number(hours) + Number(minutes)) : 0;
  if (!ahead_s) return `${moment(text)} UTC`;
  return `${moment(Date.parse(text) / 1000 + ahead_s)} ${offset}`;
}

function offsetText(/** @type {string} */ text, /** @type {string} */ timeZone) {
  if (/^[+-]/.test(timeZone)) return timeZone;
  try {
    return new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).format(new Date(text));
  } catch {
    return "";
  }
}

/**
 * What was read as `role`: 3 Jun 2024, 07:02:11 UTC; 3.70379° W.
 *
 * @param {string} role
 * @param {string} text
 * @param {string} [zone] whose clocks times are shown on
 */
export const asRead = (role, text, zone = "") => FORMATS[role]?.(text, zone) ?? text;

/** All that was read of a row. @param {Record<string, string>} read */
export const rowAsRead = (read) =>
  ["time", "lon", "lat", "id", "place"]
    .filter((role) => role in read)
    .map((role) => asRead(role, read[role]))
    .join(" · ");
