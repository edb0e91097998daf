import assert from "node:assert/strict";
import { test } from "node:test";

import { EARTH_RADIUS_M, latAt, unitY } from "../../../../static/js/map/projection.js";
import { groupsOf } from "../../../../static/js/trajectory/release_form/noise_preview.js";
import * as preview from "../../../../static/js/trajectory/release_form/noise_preview_data.js";
import { draws } from "../../support.mjs";

const trackOf = (first, n) => ({ first, n, positions: { place: (i) => ({ x: first + i, y: 0 }) } });
const BOX = { left: 0.4, right: 0.6, top: 0.3, bottom: 0.4 };

test("runs in a track are those of the dataset, cut and counted from its first event", () => {
  const of = (first, n) =>
    preview.runsIn({ first, n }, [
      [0, 2],
      [4, 9],
      [9, 12],
    ]);
  assert.deepEqual(
    [of(0, 3), of(3, 5), of(8, 4), of(12, 3)],
    [
      [[0, 2]],
      [[1, 5]],
      [
        [0, 1],
        [1, 4],
      ],
      [],
    ],
  );
});

test("noise is drawn amid the longest run of landmarks, else amid the first track, else of the box", () => {
  const tracks = [trackOf(0, 10), trackOf(10, 20)];
  assert.deepEqual(
    preview.anchorOf({ tracks, box: BOX }, [
      [0, 4],
      [12, 19],
      [20, 27],
    ]),
    { x: 15, y: 0, landmark: true },
  );
  assert.deepEqual(preview.anchorOf({ tracks, box: BOX }, []), { x: 5, y: 0, landmark: false });
  assert.deepEqual(preview.anchorOf({ tracks: [], box: BOX }, [[0, 4]]), { x: 0.5, y: 0.35, landmark: false });
});

test("a length of the map is the shorter in metres the farther from the equator", () => {
  assert.ok(Math.abs(preview.metresAt(0.5) - 2 * Math.PI * EARTH_RADIUS_M) < 1e-6);
  for (const lat of [-70, 30, 60]) {
    const share = preview.metresAt(unitY(lat)) / preview.metresAt(0.5);
    assert.ok(Math.abs(share - Math.cos((latAt(unitY(lat)) * Math.PI) / 180)) < 1e-9);
  }
});

test("a view shows the box and the circle around the anchor, and is no farther away than it must be", () => {
  const draw = draws(23);
  const size = { width: 500, height: 300 };
  for (let i = 0; i < 200; i += 1) {
    const anchor = { x: draw.real(0.4, 0.6), y: draw.real(0.3, 0.4) };
    const reach = draw.pick([0, draw.real(0, 0.5)]);
    const { view, times } = preview.fit({ box: BOX }, anchor, reach, size);
    const x = [BOX.left, BOX.right, anchor.x - reach, anchor.x + reach].map((one) => one * view.scale - view.left);
    const y = [BOX.top, BOX.bottom, anchor.y - reach, anchor.y + reach].map((one) => one * view.scale - view.top);
    const margins = [Math.min(...x), 500 - Math.max(...x), Math.min(...y), 300 - Math.max(...y)];
    assert.ok(Math.min(...margins) > 17.99 && Math.min(...margins) < 18.01, margins.join());
    assert.ok(times >= 1 && (reach > 0 || times === 1));
  }
});

const group = (events, median_m, p95_m) => ({ events, median_m, p95_m });
const titles = (landmark, regular) =>
  groupsOf({ expected: { landmark, regular, overall: group(9, 1, 2) } }, { colour: "--m1", dash: "" }).map(
    ({ title, half }) => [title, half],
  );

test("circles of landmarks and of other events, one where they are alike, none where there is no noise", () => {
  assert.deepEqual(titles(group(3, 10, 20), group(6, 5, 9)), [
    ["A landmark", 10],
    ["Another event", 5],
  ]);
  assert.deepEqual(titles(group(3, 10, 20), group(6, 10, 21)), [
    ["A landmark", 10],
    ["Another event", 10],
  ]);
  assert.deepEqual(titles(group(3, 10, 20), group(6, 10 + 1e-8, 20)), [["Any event", 1]]);
  assert.deepEqual(titles(group(0, 10, 20), group(6, 5, 9)), [["Any event", 1]]);
  assert.deepEqual(titles(group(3, 10, 20), group(0, 5, 9)), [["Any event", 1]]);
  assert.deepEqual(titles(group(3, 10, 20), group(6, null, null)), [["A landmark", 10]]);
});
