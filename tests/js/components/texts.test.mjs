import assert from "node:assert/strict";
import { test } from "node:test";

import { ofValue, shifted } from "../../../static/js/components/experiment_form/value_list.js";
import { barTexts } from "../../../static/js/components/experiment_form/plan.js";
import { summaryText } from "../../../static/js/components/upload_list.js";
import { draws, plain } from "../support.mjs";

test("how many files of an upload are in each state", () => {
  assert.equal(summaryText(["ready"]), "1 file: 1 ready");
  assert.equal(
    summaryText(["refused", "ready", "sending", "failed", "ready"]),
    "5 files: 1 in progress, 2 ready, 1 refused, 1 not read",
  );
});

test("per cent are shares to the last bit", () => {
  assert.deepEqual(
    [shifted("20", -2), shifted("0.7", -2), shifted(0.29, 2), shifted("1e-7", 2)],
    [0.2, 0.007, 29, 1e-5],
  );
  assert.equal(shifted("5", 0), 5);
  const draw = draws(63);
  for (let k = 0; k < 500; k += 1) {
    const percent = draw.real(0, 100).toFixed(draw.int(0, 6));
    assert.equal(shifted(shifted(percent, -2), 2), Number(percent), percent);
  }
});

test("an error names the value of a list that it is about", () => {
  assert.equal(ofValue(0, "must be at least 1"), "Value 1: must be at least 1");
  for (const at of [null, NaN]) assert.equal(ofValue(at, "too many"), "too many");
});

test("what an experiment comes to, and when it runs", () => {
  const plan = { cells: 18, repetitions: 1, work_s: 75, at_once: false, ahead: 0, workers: 1 };
  const texts = (/** @type {any} */ changes) => Object.values(barTexts({ ...plan, ...changes })).map(plain);
  assert.deepEqual(texts({}), [
    "18 cells × 1 repetition",
    "about 1 min 15 s on one core · starts when a worker is free",
  ]);
  assert.match(texts({ ahead: 2 })[1], /2 jobs waiting before it$/);
  assert.match(texts({ workers: 0, ahead: 2 })[1], /no worker answers: it waits until one does$/);
  assert.match(texts({ at_once: true, workers: 0 })[1], /runs immediately$/);
});
