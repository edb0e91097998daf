import assert from "node:assert/strict";
import { test } from "node:test";

import { fileName, pageFileName } from "../../../static/js/core/file_name.js";
import { draws, pageOf, setGlobals } from "../support.mjs";

// tests/test_both_languages.py compares known names with dashboard/core/filenames.py

test("a name is safe on every system, whatever its parts are", () => {
  const draw = draws(11);
  const letters = ["a", "Z", "9", ".", "-", "_", "/", "\\", ":", "\0", "\u202e", "é", "北", "🚶", " ", "..", "ﬁ"];
  for (let k = 0; k < 500; k += 1) {
    const parts = draw.list(draw.int(0, 4), () => draw.list(draw.int(0, 90), () => draw.pick(letters)).join(""));
    const name = fileName(parts, "csv");
    assert.match(name, /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*\.csv$/u, JSON.stringify(parts));
    assert.doesNotMatch(name, /\.\.|--|__|[-._]\.csv$|_[-.]|[-.]_/, JSON.stringify(parts));
    assert.ok(
      name.split("_").every((part) => Array.from(part.replace(/\.csv$/, "")).length <= 60),
      name,
    );
    assert.equal(fileName(name.slice(0, -4).split("_"), "csv"), name, "a name stays as it is");
  }
});

test("the files of a page begin with its dataset", () => {
  const page = pageOf();
  setGlobals({ document: page });
  assert.equal(pageFileName("error_landmarks", "svg"), "error_landmarks.svg");
  page.body.dataset.files = "Taxi day";
  assert.equal(pageFileName("error_landmarks", "svg"), "Taxi-day_error_landmarks.svg");
});
