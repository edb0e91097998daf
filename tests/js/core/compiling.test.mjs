import assert from "node:assert/strict";
import { test } from "node:test";

import { noted } from "../../../static/js/core/compiling.js";
import { pageOf, setGlobals, settled } from "../support.mjs";

const elements = {};
setGlobals({ document: pageOf(elements) });

test("a page served after all was compiled has no note", async () => {
  assert.equal(await noted(Promise.resolve(5)), 5);
});

test("the note is shown while an answer takes long, until the last one is there", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const note = (elements["[data-compiling]"] = { hidden: true });
  const [one, other] = [Promise.withResolvers(), Promise.withResolvers()];
  const both = [noted(one.promise), noted(other.promise)];
  t.mock.timers.tick(999);
  assert.equal(note.hidden, true);
  t.mock.timers.tick(1);
  assert.equal(note.hidden, false);
  one.resolve(1);
  await settled();
  assert.equal(note.hidden, false, "another one is still awaited");
  other.reject(new Error("lost"));
  assert.deepEqual(
    (await Promise.allSettled(both)).map(({ status }) => status),
    ["fulfilled", "rejected"],
  );
  assert.equal(note.hidden, true);
});

test("a quick answer shows nothing", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const note = (elements["[data-compiling]"] = { hidden: true });
  await noted(Promise.resolve());
  t.mock.timers.tick(5000);
  assert.equal(note.hidden, true);
});
