import assert from "node:assert/strict";
import { test } from "node:test";

import * as forecast from "../../../../static/js/trajectory/dummy_landmarks/selection_forecast.js";
import { check } from "../../cases.mjs";
import { setElements } from "../../elements.mjs";

setElements();

test("how many dummies to expect, and what they cost", () => {
  const mean = (landmarks, points, expected) => ({ landmarks, points, expected });
  check(forecast.expected, [
    [[mean(5, 5, 0)], "Every event is a landmark: no dummies can be added."],
    [[mean(5, 105, 12.345)], "About 12 of the 100 other events beside the 5 landmarks."],
    [[mean(1, 2000, 1234.5)], "About 1,235 of the 1,999 other events beside the 1 landmark."],
  ]);
  check(forecast.budgetText, [
    [[mean(5, 9, 0.4)], ""],
    [
      [mean(4, 9, 5)],
      "Cost: with that many events in L′, Uniform gives each landmark ε/10 instead of ε/5, 2 times the noise.",
    ],
  ]);
  check(forecast.before, [
    [[{ earlier_selections: 0, level_spent: 0 }, "More."], ""],
    [
      [{ earlier_selections: 2, level_spent: 0.75 }, "More."],
      "2 earlier selections from these landmarks, ε = 0.75 in total. More.",
    ],
  ]);
});

test("bars are as long as their share of the likeliest number", () => {
  const rows = forecast.bars([
    { first: 0, last: 0, probability: 0.2 },
    { first: 1, last: 1500, probability: 0.4 },
    { first: 1501, last: 1501, probability: 0.0009 },
  ]);
  assert.deepEqual(
    rows.map((row) => row.texts("th")[0]),
    ["0", "1 to 1,500", "1,501"],
  );
  assert.deepEqual(
    rows.map((row) => row.texts("td")[1]),
    ["20 %", "40 %", "< 0.1 %"],
  );
  assert.deepEqual(
    rows.slice(0, 2).map((row) => row.all("span")[0].style["inline-size"]),
    ["50%", "100%"],
  );
});
