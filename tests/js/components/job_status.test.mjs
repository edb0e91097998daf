import assert from "node:assert/strict";
import { test } from "node:test";

import { watchStates } from "../../../static/js/components/job_status.js";
import { pageOf, plain, setGlobals } from "../support.mjs";

/** The rows of the page. */
let rows = [];
let page = pageOf();

function rowOf(job) {
  const parts = { "[data-stage]": { textContent: "" }, progress: { value: 0 } };
  return { dataset: { job }, querySelector: (selector) => parts[selector], parts };
}
const send = (name, detail) => page.dispatchEvent(new CustomEvent(name, { detail }));

function open(...jobs) {
  rows = jobs.map(rowOf);
  page = Object.assign(pageOf(), { querySelectorAll: () => rows });
  setGlobals({ document: page });
}

test("rows follow their jobs", () => {
  open("a", "b", "c");
  watchStates(() => {});
  send("cairn:progress", [
    { id: "a", state: "queued", queue_position: 2 },
    { id: "b", state: "running", progress: 0.996, stage: "Drawing" },
    { id: "c", state: "running", progress: 0.5 },
  ]);
  assert.deepEqual(
    rows.map(({ parts }) => [plain(parts["[data-stage]"].textContent), parts.progress.value]),
    [
      ["waiting for a worker, second in the queue", 0],
      ["drawing · 99 %", 0.996],
      ["running · 50 %", 0.5],
    ],
  );
});

test("a job is over once, also where its row was removed before", () => {
  open("a");
  let [over, changed] = [0, 0];
  watchStates(
    () => {
      rows = [];
      changed += 1;
    },
    () => (over += 1),
  );
  const counts = [];
  for (const [name, detail] of [
    ["cairn:progress", [{ id: "a", state: "queued" }]],
    ["cairn:jobs", {}],
    ["cairn:progress", []],
    ["cairn:progress", []],
  ]) {
    send(String(name), detail);
    counts.push(over);
  }
  assert.deepEqual([counts, changed], [[0, 0, 1, 1], 1]);
});

test("a job that this page did not show is none of it", () => {
  open();
  let over = 0;
  watchStates(() => (over += 1));
  send("cairn:progress", [{ id: "x", state: "running", progress: 0 }]);
  send("cairn:progress", []);
  assert.equal(over, 0);
});
