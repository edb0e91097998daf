import assert from "node:assert/strict";
import { test } from "node:test";

import { barTexts } from "../../../../static/js/components/experiment_form/plan_text.js";
import { plain } from "../../support.mjs";

test("what an experiment comes to, and when it runs", () => {
  const plan = { cells: 18, repetitions: 1, work_s: 75, at_once: false, ahead: 0, workers: 1 };
  const texts = (changes) => Object.values(barTexts({ ...plan, ...changes })).map(plain);
  assert.deepEqual(texts({}), [
    "18 cells × 1 repetition",
    "about 1 min 15 s on one core · starts when a worker is free",
  ]);
  assert.match(texts({ ahead: 2 })[1], /2 jobs waiting before it$/);
  assert.match(texts({ workers: 0, ahead: 2 })[1], /no worker answers: it waits until one does$/);
  assert.match(texts({ at_once: true, workers: 0 })[1], /runs immediately$/);
});
