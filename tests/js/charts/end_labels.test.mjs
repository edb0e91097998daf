import assert from "node:assert/strict";
import { test } from "node:test";

import { endLabels, spread } from "../../../static/js/charts/end_labels.js";
import { draws } from "../support.mjs";

test("labels keep their order and a gap, within the plot, and stay where there is space", () => {
  const draw = draws(5);
  for (let k = 0; k < 300; k += 1) {
    const [gap, height] = [draw.int(1, 15), draw.int(100, 400)];
    const wanted = draw.list(draw.int(0, Math.floor(height / gap) - 1), () => draw.real(0, height));
    const found = spread(wanted, gap, height);
    const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
    assert.ok(
      found.every((at) => at >= -1e-9 && at <= height),
      `${wanted} → ${found}`,
    );
    for (let i = 1; i < order.length; i += 1)
      assert.ok(found[order[i]] - found[order[i - 1]] >= gap - 1e-9, `${wanted} → ${found}`);
    const sorted = order.map((i) => wanted[i]);
    if (sorted.every((at, i) => !i || at - sorted[i - 1] >= gap)) assert.deepEqual(found, wanted);
  }
});

test("known places", () => {
  assert.deepEqual(spread([10, 11, 50], 10, 60), [10, 20, 50]);
  assert.deepEqual(spread([58, 59, 60], 10, 60), [40, 50, 60]);
  assert.deepEqual(spread([11, 10], 10, 60), [20, 10]);
  assert.deepEqual(spread([], 10, 60), []);
});

test("lines that are hidden, empty or end in a gap have no label", () => {
  const line = (more) => ({ name: "a", y: [0, 5], ...more });
  const lines = [
    line({}),
    line({ visible: false }),
    line({ y: [] }),
    line({ y: [1, null] }),
    line({ name: "b", y: [10], strong: true }),
  ];
  const labels = endLabels(lines, { range: [0, 10] }, 100, { size: 11 });
  const [above] = endLabels([line({})], { range: [4, 6] }, 100, { size: 11 });
  assert.equal(above.y, 0.5);
  assert.deepEqual(
    labels.map(({ text, y, font }) => [text, y, font.weight]),
    [
      ["a", 0.5, undefined],
      ["b", 1, 700],
    ],
  );
});
