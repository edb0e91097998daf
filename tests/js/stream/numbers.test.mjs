import assert from "node:assert/strict";
import { test } from "node:test";

import { csvOf, tableOf } from "../../../static/js/stream/numbers.js";
import { check } from "../cases.mjs";
import { setElements } from "../elements.mjs";

setElements();
const drawn = tableOf;

test("rows as CSV: texts quoted where they must be, nothing where there is none, numbers whole", () =>
  check(csvOf, [
    [
      [
        ["a", "b,c"],
        [
          ["x", 1],
          ['the "best" one', 0.1],
          [null, -5],
          [true, 1e21],
        ],
      ],
      'a,"b,c"\nx,1\n"the ""best"" one",0.1\n,-5\ntrue,1e+21\n',
    ],
    [[["=sum(1)", "two\nlines"], []], '\'=sum(1),"two\nlines"\n'],
  ]));

test("a table has all digits of whole numbers and six of others", () => {
  const table = drawn(
    "Errors",
    ["release", "are"],
    [
      ["A", 123456789],
      [7, 0.123456789],
      ["B", 100000.25],
      ["C", null],
    ],
  );
  assert.deepEqual(
    table.all("th").map((one) => one.textContent),
    ["release", "are", "A", "7", "B", "C"],
  );
  assert.deepEqual(table.texts("td"), ["123,456,789", "0.123457", "100,000.3", "–"]);
  assert.equal(table.texts("caption")[0], "Errors");
});

test("of many rows the first 200 are shown, and their number is stated", () => {
  const rows = (n) => Array.from({ length: n }, (_, i) => [i]);
  const shown = (n) => {
    const table = drawn("Counts", ["n"], rows(n));
    return [table.all("tbody")[0].all("tr").length, table.texts("caption")[0]];
  };
  assert.deepEqual(shown(200), [200, "Counts"]);
  assert.deepEqual(shown(201), [200, "Counts The first 200 of 201 rows; the CSV has them all."]);
});
