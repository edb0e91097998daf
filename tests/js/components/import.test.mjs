/* The import page: values as read, the exchange of roles, totals, and what is doubted with what mends it. */
import { deepEqual, equal, match } from "node:assert/strict";

import { test } from "node:test";

import { check } from "../cases.mjs";
import { setElements } from "../elements.mjs";

setElements();
const { asRead, rowAsRead } = await import("../../../static/js/components/import_report.js");
const { groupsOf } = await import("../../../static/js/components/column_table.js");
const { giveRole } = await import("../../../static/js/components/column_preview.js");
const { leftOut, renderReport } = await import("../../../static/js/components/import_report.js");
const preview = await import("../../../static/js/components/preview_messages.js");

const ROLES = [
  { name: "lon", label: "Longitude", needed: true },
  { name: "lat", label: "Latitude", needed: true },
  { name: "time", label: "Time", needed: false },
  { name: "id", label: "Series", needed: false },
];
const columnsOf = (...roles) =>
  roles.map((role, i) => ({ place: `#${i + 1}`, name: `c${i + 1}`, role, sentence: "", resembles: "" }));
const REPORT = { rows_read: 31, kept: 30, series_count: 2, row_unit: "line", guesses: [], notes: [], members: [] };
const MISSING = { missing: { count: 1, rows: [32], message: "A value is empty." } };
const previewOf = (more = {}) => ({
  ...{ item: "event", whole: true, problem: null, editable: true, roles: ROLES },
  ...{ columns: columnsOf("time", "lon", "lat", ""), more_columns: 0, report: { ...REPORT, dropped: MISSING } },
  ...more,
});

test("values are shown with what they are of", () => {
  check(asRead, [
    [["time", "2024-06-03T05:02:11Z"], "3 Jun 2024, 05:02:11 UTC"],
    [["lon", "-3.703790"], "3.70379° W"],
    [["lat", "40.416780"], "40.41678° N"],
    [["id", "-M. Ruiz"], "-M. Ruiz"],
    [["time", "2024-06-03T23:02:11Z", "Europe/Madrid"], "4 Jun 2024, 01:02:11 +02:00"],
    [["time", "2024-06-03T05:02:11Z", "-03:30"], "3 Jun 2024, 01:32:11 -03:30"],
    [["time", "2024-06-03T05:02:11Z", "Nowhere/Else"], "3 Jun 2024, 05:02:11 UTC"],
  ]);
  equal(rowAsRead({ id: "a", lat: "-1", lon: "2" }), "2.00000° E · 1.00000° S · a");
  equal(rowAsRead({}), "");
});

test("a role that is given to a column is taken from the other, which gets its own", () => {
  const roles = ({ columns }) => columns.map(({ role }) => role);
  const swapped = previewOf();
  deepEqual(giveRole(swapped, "#2", "lat"), { lon: "#3", lat: "#2" });
  deepEqual(roles(swapped), ["time", "lat", "lon", ""]);
  const moved = previewOf();
  deepEqual(giveRole(moved, "#4", "time"), { time: "#4" });
  deepEqual(roles(moved), ["", "lon", "lat", "time"]);
  const none = previewOf();
  deepEqual(giveRole(none, "#1", ""), { time: "#0" });
  deepEqual(roles(none), ["", "lon", "lat", ""]);
  const person = previewOf({ roles: [...ROLES, { name: "person", label: "Person", needed: false }] });
  deepEqual(giveRole(person, "#4", "person"), { person: "column:#4" });
  deepEqual(giveRole(person, "#1", "person"), { time: "#4", person: "column:#1" });
  deepEqual(giveRole(person, "#1", ""), { person: "one" });
});

test("columns that are one instant and stand beside each other have one choice", () => {
  const groups = (...roles) => groupsOf(columnsOf(...roles)).map(({ at, columns }) => [at, columns.length]);
  deepEqual(groups("", "time", "clock", "lon"), [
    [0, 1],
    [1, 2],
    [3, 1],
  ]);
  deepEqual(groups("clock", "lon", "time"), [
    [0, 1],
    [1, 1],
    [2, 1],
  ]);
  deepEqual(groups("month", "day", "time", "hour"), [[0, 4]]);
});

test("rows that were left out are summed in one place, without members and without numbers of several files", () => {
  const dropped = { ...MISSING, junk_member: { count: 3, rows: [], message: "The archive member is a system file." } };
  const { reasons, total } = leftOut({ dropped });
  deepEqual([total, reasons.map(({ title, rows }) => [title, rows])], [1, [["a value is empty", [32]]]]);
  const members = [{ name: "a" }, { name: "b" }, { name: "c", reason: "junk_member" }];
  deepEqual(leftOut({ dropped, members }).reasons[0].rows, []);
  deepEqual(leftOut({ dropped, members: members.slice(1) }).reasons[0].rows, [32]);
});

test("the button names what would be imported, where that is known", () => {
  const names = "30 of 31 lines are read, 1 left out.";
  check(preview.previewTotals, [
    [[previewOf()], { label: "Import 30 events in 2 series", names }],
    [
      [previewOf({ item: "timestamp", report: { ...REPORT, dropped: MISSING, series_count: 1 } })],
      { label: "Import 30 timestamps", names },
    ],
    [
      [previewOf({ report: { ...REPORT, dropped: MISSING, people: { count: 2 } } })],
      { label: "Import 30 events of 2 people", names },
    ],
    [[previewOf({ whole: false })], { label: "Import", names: `Of the first rows ${names} The file has more.` }],
    [[previewOf({ problem: {} })], { label: "Import", names: "" }],
  ]);
});

test("columns that are alike are one line, and a first row is shown as read beside its cells", () => {
  const columns = [...columnsOf("counts", "counts", ""), ...columnsOf("time")];
  columns.slice(0, 2).forEach((one) => (one.sentence = "Counts of one stream."));
  const first = [{ row: 2, read: { lon: "2", lat: "48" }, raw: ["2,0", "48"] }];
  const { textContent } = renderReport({ columns, first, row_unit: "line" }, { only: ["columns", "first"] });
  match(textContent, /^Columnsc1, c2Counts of one stream\.First rows as read/);
  match(textContent, /Line 2: 2\.00000° E · 48\.00000° N2,0 · 48$/);
});

test("what is doubted has one button that sets the option that mends it", () => {
  const set = [];
  const on = {
    mend: (...change) => set.push(change),
    keep: (text) => set.push(text),
    field: () => null,
    question: null,
  };
  const boxOf = (notes, kept = []) => {
    const found = previewOf({ report: { ...REPORT, dropped: {}, notes } });
    found.columns.push({ place: "#5", name: "hora", role: "", resembles: "time" });
    return preview.previewBelow(found, { ...on, go: () => {}, kept: new Set(kept) })[0];
  };
  const note = (code, option) => ({ code, option, level: "warning", message: `A ${code}.` });
  const box = boxOf([note("all_midnight", "clock")]);
  match(box.textContent, /^Look at thisA all_midnight\..*horaUse as the time of dayKeep as they are$/);
  for (const button of box.all("button")) button.emit("click");
  boxOf([note("single_points", "id")])
    .all("button")[0]
    .emit("click");
  deepEqual(set, [["clock", "#5"], "A all_midnight.", ["id", "#0"]]);
  for (const button of boxOf([note("extension")]).all("button")) button.emit("click");
  boxOf([note("other_columns")])
    .all("button")[0]
    .emit("click");
  deepEqual(set.slice(3), ["A extension.", ["kind", ""]]);
  match(boxOf([{ ...note("out_of_order"), count: 9, rows: [1216, 7] }]).textContent, /Lines 1,216, 7 and 7 more\./);
  match(boxOf([note("single_points", "id")], ["A single_points."]).textContent, /^How it was read/);
});
