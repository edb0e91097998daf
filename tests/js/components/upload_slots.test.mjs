import assert from "node:assert/strict";
import { test } from "node:test";

import { takeSlot } from "../../../static/js/components/upload_slots.js";
import { settled } from "../support.mjs";

test("three upload at once, others wait their turn, and who leaves is passed over", async () => {
  const leave = new AbortController();
  const running = new Map();
  const signals = [1, 2, 3, 4, 5, 6].map((i) => (i === 4 ? leave.signal : new AbortController().signal));
  const all = signals.map((signal, i) => takeSlot(signal).then((free) => running.set(i + 1, free)));
  all[3].catch(() => {});
  await settled();
  assert.deepEqual([...running.keys()], [1, 2, 3]);
  leave.abort();
  await assert.rejects(all[3], { name: "AbortError" });
  running.get(2)?.();
  await settled();
  assert.deepEqual([...running.keys()], [1, 2, 3, 5]);
  running.get(1)?.();
  running.get(3)?.();
  await settled();
  assert.deepEqual([...running.keys()], [1, 2, 3, 5, 6]);
  const [seven, eight] = [7, 8].map(() => takeSlot(new AbortController().signal).then(() => true));
  assert.equal(await seven, true);
  let waits = true;
  eight.then(() => (waits = false));
  await settled();
  assert.equal(waits, true, "5, 6 and 7 are running");
  running.get(5)?.();
  assert.equal(await eight, true);
});
