/* The views of the error chart: two releases, of two mechanisms, one smoothed. */
import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";

import * as views from "../../../../static/js/trajectory/compare/error_chart.js";
import { spaced } from "../../cases.mjs";

const one = (id, epsilon, radius_m, errors, steps = []) => ({
  layer: {
    id,
    visible: id !== "b",
    release: { mechanism: { name: id[0], epsilon, radius_m }, postprocess: steps },
    errors: async () => errors,
  },
  lineStyle: { colour: `#${id}`, dash: "solid", marker: "circle" },
  title: `${id} · ε ${epsilon}`,
  short: id,
  curve: { event: [0, 1, 2, 3], error_m: [5, 0, 9, 7], landmarks: [[2, 3]] },
});
const part = (n, error_m, share) => ({ n, error_m, share });
const A = one("a", 1, 200, {
  event: [0, 1],
  all: { ...part(4, [5, 8], [0.5, 0.9]), mean_m: 6, running_mean_m: [5, 4], cumulative_m: [5, 8] },
  landmarks: part(1, [9], [1]),
  others: part(3, [5, 7], [0.4, 1]),
});
const B = one("b", 2, 100, {
  event: [0, 3],
  all: { ...part(12, [1, 9], [0.1, 1]), mean_m: null, running_mean_m: [1, 2], cumulative_m: [1, 4] },
  landmarks: part(0, [], []),
  others: part(12, [1, 9], [0.1, 1]),
});
const group = (name) => ({ name, text: `${name} events` });

test("the error of each event; none where it is not known", () => {
  const unknown = { ...B, curve: { event: [4] } };
  const { lines, log, note } = views.eventView([A, unknown], { rules: [] })(true);
  deepEqual(
    [lines.map(({ x, y }) => [x, y]), log, note],
    [
      [
        [
          [0, 1, 2, 3],
          [5, 0, 9, 7],
        ],
        [[4], []],
      ],
      true,
      "error, m",
    ],
  );
  deepEqual(
    lines.map(({ visible, name }) => [visible, name]),
    [
      [true, "a · ε 1"],
      [false, "b · ε 2"],
    ],
  );
});

test("a distribution states how many events it counts, the fewest and the most, and where one lies", async () => {
  const of = async (shown, name) => (await views.distributionView(shown, { series: 0 }, group(name)))(false);
  const found = await of([A, B], "all");
  deepEqual(
    found.lines.map(({ x, y }) => [x, y]),
    [
      [
        [5, 8],
        [0.5, 0.9],
      ],
      [
        [1, 9],
        [0.1, 1],
      ],
    ],
  );
  equal(found.x.name, "error, m (all events, n = 4–12)");
  equal(found.y.share, true);
  equal((await of([B, A], "all")).x.name, "error, m (all events, n = 4–12)");
  equal((await of([A], "all")).x.name, "error, m (all events, n = 4)");
  equal((await of([], "all")).x.name, "error, m (all events, n = 0)");
  const at = (view, event) => view.dots(event).map(({ id, x, y }) => [id, x, y]);
  deepEqual(at(found, 0), [
    ["a", 5, 0.5],
    ["b", 5, 1],
  ]);
  deepEqual(
    at(found, 2),
    [
      ["a", 9, 1],
      ["b", 9, 1],
    ],
    "beyond what was counted it is 1",
  );
  deepEqual(at(found, 3), [
    ["a", 7, 0.9],
    ["b", 7, 1],
  ]);
  for (const event of [1, 4]) deepEqual(at(found, event), [], "an error of 0 or none is nowhere");
  const [landmarks, others] = [await of([A, B], "landmarks"), await of([A, B], "others")];
  deepEqual(
    [0, 2, 3].map((event) => at(landmarks, event).length),
    [0, 1, 0],
  );
  deepEqual(
    [0, 2, 3].map((event) => at(others, event).length),
    [2, 0, 2],
  );
});

test("means and sums so far are those of the group, over the events of each release", async () => {
  for (const [view, expected] of [
    [
      views.meanView,
      [
        [5, 4],
        [1, 2],
      ],
    ],
    [
      views.sumView,
      [
        [5, 8],
        [1, 4],
      ],
    ],
  ]) {
    const { lines, log } = (await view([A, B], { series: 0, range: [0, 3] }, group("all")))(true);
    deepEqual(
      [lines.map(({ x }) => x), lines.map(({ y }) => y), log],
      [
        [
          [0, 1],
          [0, 3],
        ],
        expected,
        true,
      ],
    );
  }
});

test("against ε a curve for each mechanism, of the release of fewest steps, and a mark for each release", async () => {
  const smooth = { ...one("a2", 1, 200, { all: { mean_m: 3 } }, ["smooth"]), title: "smooth · ε 1" };
  smooth.layer.release.mechanism = A.layer.release.mechanism;
  const shown = [smooth, A, B];
  equal(views.mechanismKey(smooth), views.mechanismKey(A));
  const simulated = {
    keys: [A, B].map(views.mechanismKey),
    ...{ points: 2000, events: 1500, landmarks: 12, repetitions: 30, band: [0.05, 0.95], note: "Note." },
    mechanisms: [
      { epsilon: [1, 2], mean_m: [9, 8], low_m: [1, 2], high_m: [10, 12] },
      { epsilon: [], title: "B", why_not: "too long" },
    ],
  };
  const found = (await views.epsilonView(shown, { series: 0, radiusM: 100 }, simulated))(true);
  const [curve, ...marks] = found.lines;
  deepEqual(
    [curve.name, curve.x, curve.y, curve.low, curve.high],
    ["a, simulated", [0.5, 1], [9, 8], [1, 2], [10, 12]],
  );
  deepEqual(
    marks.map(({ name, x, y }) => [name, x, y]),
    [
      ["smooth · ε 1, this release", [0.5], [3]],
      ["a · ε 1, this release", [0.5], [6]],
    ],
  );
  match(spaced(found.about), /^Mean of 30 simulated releases over the first 1,500 of 2,000 events with their 12 landm/);
  match(spaced(found.about), /shaded from 5 to 95 %; .*Note\. B: too long\.$/);
  equal(found.x.name.endsWith(", log"), true);
  const all = { ...simulated, events: 2000 };
  match(
    spaced((await views.epsilonView([A, B], { radiusM: 100 }, all))(false).about),
    /^Mean of 30 simulated releases, shaded/,
  );
});
