import assert from "node:assert/strict";
import { test } from "node:test";

import { errorText, ordered } from "../../../static/js/stream/dimension_list.js";
import { check } from "../cases.mjs";

const known = { names: ["b", "a10", "a9"], totals: [5, 5, 7], errors: [0.5, null, 0.1] };
const by = (key, descending, text = "") => ordered(known, text, { key, descending });

test("dimensions by name, with numbers in it as numbers", () =>
  check(by, [
    [
      ["name", false],
      [2, 1, 0],
    ],
    [
      ["name", true],
      [0, 1, 2],
    ],
  ]));

test("by a figure, equal ones by name, those without one as the least", () =>
  check(by, [
    [
      ["total", true],
      [2, 1, 0],
    ],
    [
      ["total", false],
      [1, 0, 2],
    ],
    [
      ["error", true],
      [0, 2, 1],
    ],
    [
      ["error", false],
      [1, 2, 0],
    ],
  ]));

test("a dimension without an error stands below one whose error is 0", () => {
  const some = { names: ["a", "b"], totals: [1, 1], errors: [0, null] };
  assert.deepEqual(ordered(some, "", { key: "error", descending: false }), [1, 0]);
});

test("only those whose name has the text, in any case, spaces around it aside", () =>
  check(by, [
    [["name", false, " A1 "], [1]],
    [
      ["name", false, "a"],
      [2, 1],
    ],
    [["total", true, "c"], []],
  ]));

test("errors in few characters", () =>
  check(errorText, [
    [[null], "–"],
    [[0], "0"],
    [[0.1849], "0.18"],
    [[0.000244], "2.4e-4"],
    [[0.001], "0.001"],
    [[9999], "10,000"],
    [[12345], "12.3k"],
  ]));
