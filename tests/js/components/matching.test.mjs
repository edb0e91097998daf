import assert from "node:assert/strict";
import { test } from "node:test";

import { matching } from "../../../static/js/components/matching.js";

const options = ["Ben", "Johanna", "Anna", "Hannes"].map((text) => ({ text }));
const found = (text) => matching(options, text).map((one) => one.text);

test("what begins with the text comes first, then what holds it, in their order", () => {
  assert.deepEqual(found(" an "), ["Anna", "Johanna", "Hannes"]);
  assert.deepEqual(found("HANN"), ["Hannes", "Johanna"]);
  assert.deepEqual(found("x"), []);
});

test("an empty text lists all as they are", () => {
  assert.deepEqual(found("  "), ["Ben", "Johanna", "Anna", "Hannes"]);
});
