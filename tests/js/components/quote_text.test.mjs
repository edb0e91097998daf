import assert from "node:assert/strict";
import { test } from "node:test";

import { noiseTexts, spendingText, statusOf } from "../../../static/js/components/quote_text.js";
import { check } from "../cases.mjs";

test("noise beside the counts of the upload", () => {
  const sentences = (averages, name = "stream-uniform") => noiseTexts({ name, noise_sd: 10 }, averages).join();
  assert.equal(sentences([]), "");
  assert.match(
    sentences([10, 30]),
    /^The counts of the upload are 20 on average, .* zeros\. Every dimension’s average is above/,
  );
  assert.match(
    sentences([9.9, 30, 50]),
    / The averages of 1 of 3 dimensions are below the noise: .* Stream shrink publishes/,
  );
  assert.match(sentences([1, 3]), /^The counts of the upload are 2 .* The averages of all 2 dimensions are below/);
  assert.match(sentences([1], "stream-shrink"), / That is below the noise: .* Such counts are published near zero\.$/);
});

const BUDGET = { price: 1, spent: 2, after: 3, total: 5, fits: true, label: "the budget" };

test("what a release is charged", () =>
  check(
    (more, simulation = false) => spendingText({ ...BUDGET, ...more }, simulation),
    [
      [[{}], "Charges ε = 1 of the budget; ε = 3 would be spent of 5."],
      [[{ total: null }], "Charges ε = 1 of the budget; ε = 3 would be spent. There is no limit."],
      [[{ fits: false }], "Charges ε = 1 of the budget; ε = 3 would be spent of 5. The budget does not suffice."],
      [[{}, true], "A simulation is charged nothing."],
    ],
  ));

test("whether it can be made, and what is left or missing", () =>
  check(
    (more, publishable = true, simulation = false) =>
      Object.values(statusOf({ publishable }, { ...BUDGET, ...more }, simulation)),
    [
      [[{}], ["ready", "2 is left after it."]],
      [[{ total: null }], ["ready", "No limit is set."]],
      [[{ fits: false, total: 2.5 }], ["blocked", "Needs 1, 0.5 is left. Lower ε or raise the limit."]],
      [[{ fits: false, total: 1 }], ["blocked", "Needs 1, 0 is left. Lower ε or raise the limit."]],
      [
        [{}, false],
        ["blocked", "Such a release is not publishable."],
      ],
      [
        [{ fits: false }, false, true],
        ["ready", "Not published: spends nothing."],
      ],
    ],
  ));
