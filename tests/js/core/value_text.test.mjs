import assert from "node:assert/strict";
import { test } from "node:test";

import { valueText } from "../../../static/js/core/value_text.js";
import { plain } from "../support.mjs";

test("values with their units", () => {
  const cases = [
    [1234, "m", "1.23 km"],
    [0.0123456, "ε", "ε 0.0123"],
    [1234.4, "count", "1,234"],
    [0.4, "share", "40 %"],
    [12.5, "%", "12.5 %"],
    [7, "", "7"],
    [0, "m", "0 m"],
    [null, "m", "–"],
    [undefined, "", "–"],
    [NaN, "ε", "–"],
  ];
  for (const [value, unit, text] of cases) assert.equal(plain(valueText(value, unit)), text, `${value} ${unit}`);
});
