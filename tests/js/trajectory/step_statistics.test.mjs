import assert from "node:assert/strict";
import { test } from "node:test";

import { gapsText, showStepFacts, stepText } from "../../../static/js/trajectory/step_statistics.js";
import { check } from "../cases.mjs";
import { pageOf, setGlobals } from "../support.mjs";

test("the median step", () =>
  check(
    (median_m, median_s) => stepText({ median_m, median_s }),
    [
      [[60, 1200], "20 min, 60 m"],
      [[0, null], "0 m"],
      [[null, null], "one event, no step"],
      [[5, 1], "1 s, 5 m"],
      [[5, 0], "0 s, 5 m"],
    ],
  ));

test("how much of the time is gaps", () =>
  check(
    (gap_s, gap_share) => gapsText({ gap_s, gap_share }),
    [
      [[600, 0.25], "25 % of the time, in steps over 10 min"],
      [[null, null], "–"],
      [[600, null], "–"],
      [[null, 0.5], "–"],
      [[10, 0], "none"],
    ],
  ));

test("facts that come after another choice are not shown", async () => {
  const [step, silence] = [{ textContent: "" }, { textContent: "" }];
  setGlobals({
    document: pageOf({ '[data-fact="step"]': step, '[data-fact="silence"]': silence }),
    fetch: async () => Response.json({ median_m: 60, median_s: null, gap_s: 10, gap_share: 0 }),
  });
  await showStepFacts("/steps/", () => true);
  assert.deepEqual([step.textContent, silence.textContent], ["", ""]);
  await showStepFacts("/steps/", () => false);
  assert.deepEqual([step.textContent.replace("\u202f", " "), silence.textContent], ["60 m", "none"]);
});
