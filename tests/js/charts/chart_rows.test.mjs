import assert from "node:assert/strict";
import { test } from "node:test";

import { csvOf, quoted, rowsOf } from "../../../static/js/charts/chart_rows.js";
import { draws } from "../support.mjs";

/** The cells of CSV, by RFC 4180. */
function cellsOf(text) {
  const rows = [[""]];
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const row = rows.at(-1);
    if (isQuoted && text[i] === '"' && text[i + 1] === '"') row[row.length - 1] += text[(i += 1)];
    else if (text[i] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && text[i] === ",") row.push("");
    else if (!isQuoted && text[i] === "\n") rows.push([""]);
    else row[row.length - 1] += text[i];
  }
  assert.deepEqual(rows.pop(), [""], "a line ends with its break");
  return rows;
}

test("a text is quoted where it must be, and read back as it is", () => {
  const draw = draws(6);
  const texts = draw.list(300, () => `a${draw.list(draw.int(0, 6), () => draw.pick('ab ,"\n\rε')).join("")}`);
  const line = texts.map(quoted).join(",");
  assert.deepEqual(cellsOf(`${line}\n`), [texts]);
  assert.deepEqual(["a b", "a,b", 'a"b', "a\nb", "a\rb"].map(quoted), ["a b", '"a,b"', '"a""b"', '"a\nb"', '"a\rb"']);
});

test("what a spreadsheet would compute is a text", () => {
  for (const text of ["=1+1", "+1", "-1", "@a", "\tx"]) assert.equal(quoted(text), `'${text}`);
  assert.equal(quoted("a=1"), "a=1");
  assert.equal(quoted('=HYPERLINK("x",1)'), `"'=HYPERLINK(""x"",1)"`);
  assert.equal(quoted("\r=1"), `"'\r=1"`);
});

const LINES = [
  { name: "one", x: [0, 2], y: [5, null] },
  { name: "two", x: [2, 1], y: [7, 8], low: [1, 2], high: [3, 4], ends: ["5 %", "95 %"] },
];

test("rows are in the order of their keys, with gaps for what a line has not", () => {
  assert.deepEqual(rowsOf(LINES), {
    names: ["one", "two", "two, 5 %", "two, 95 %"],
    rows: [
      [0, 5, null, null, null],
      [1, null, 8, 2, 4],
      [2, null, 7, 1, 3],
    ],
  });
  const sorted = [10, 9, 100].map((key) => ({ name: String(key), x: [key], y: [1] }));
  assert.deepEqual(
    rowsOf(sorted).rows.map(([key]) => key),
    [9, 10, 100],
  );
});

test("medians are columns before the band; rows may stand for heights", () => {
  const median = { window: 5, values: [6, 6] };
  assert.deepEqual(rowsOf([{ ...LINES[1], median }]).names, [
    "two",
    "two, rolling median of 5 points",
    "two, 5 %",
    "two, 95 %",
  ]);
  assert.deepEqual(rowsOf([{ name: "up", x: [0.5, 1], y: [3, 2] }], "y"), {
    names: ["up"],
    rows: [
      [2, 1],
      [3, 0.5],
    ],
  });
});

test("a CSV has units and kinds, and nothing for what is not known", () => {
  assert.equal(csvOf([LINES[0]], "m"), "event_index,one (m)\n0,5\n2,\n");
  assert.equal(csvOf([{ ...LINES[0], name: "a, b" }], ""), 'event_index,"a, b"\n0,5\n2,\n');
  const kind = (event) => (event ? "landmark" : "");
  assert.equal(csvOf([LINES[0]], "m", { name: "t" }, kind), "t,one (m),kind\n0,5,\n2,,landmark\n");
});
