import assert from "node:assert/strict";
import { test } from "node:test";

import { warnings } from "../../../../static/js/trajectory/release_form/warnings.js";

const EXTENT_M = 14_400;
const forecast = (landmark, regular, name = "planned", drawn = 1) => ({
  name,
  title: "Planned",
  expected: { landmark: { p95_m: landmark, drawn, events: 70 }, regular: { p95_m: regular, drawn } },
});
const found = (given) =>
  warnings({
    level: { epsilon: 1, radius_m: 200 },
    forecasts: [],
    request: [],
    steps: [],
    extent_m: EXTENT_M,
    seeded: false,
    ...given,
  }).map((text) => text.replaceAll("\u202f", " "));

/** The beginning of each warning. */
const CASES = [
  ["nothing extreme", {}, []],
  ["a level of 10", { level: { epsilon: 10, radius_m: 200 } }, []],
  ["a weak level", { level: { epsilon: 15, radius_m: 200 } }, ["ε = 15 is a very weak guarantee"]],
  ["a level of 0.01", { level: { epsilon: 0.01, radius_m: 20 } }, []],
  [
    "a strict level",
    { level: { epsilon: 0.001, radius_m: 200 } },
    [
      "ε = 0.001 is very strict: even places 200 km apart keep their odds within a factor of e, and the whole " +
        "dataset is 14.4 km across.",
    ],
  ],
  [
    "a strict level over a large dataset",
    { level: { epsilon: 0.001, radius_m: 200 }, extent_m: 1e6 },
    ["ε = 0.001 is very strict: even places 200 km apart keep their odds within a factor of e."],
  ],
  ["a radius beyond the data", { level: { epsilon: 1, radius_m: 50_000 } }, ["A radius of 50 km is larger than"]],
  ["a radius as large", { level: { epsilon: 1, radius_m: EXTENT_M } }, []],
  ["a radius beyond countries", { level: { epsilon: 1, radius_m: 2e5 }, extent_m: 1e6 }, ["A radius of 200 km covers"]],
  ["as precise as GPS", { forecasts: [forecast(9, 9)] }, ["95 % of some releases fall within 9 m of the truth"]],
  ["not as precise", { forecasts: [forecast(10, 10)] }, []],
  ["too much noise", { forecasts: [forecast(15_000, 15_000)] }, ["The noise reaches beyond the whole dataset"]],
  ["unknown noise", { forecasts: [forecast(null, null)] }, []],
  ["more noise", { forecasts: [forecast(210, 100)] }, ["Landmarks get more noise than other events: Planned (95 %"]],
  ["less noise", { forecasts: [forecast(100, 210)] }, ["Landmarks get less noise than other events: Planned (95 %"]],
  ["about as much", { forecasts: [forecast(100, 104)] }, []],
  ["nothing drawn", { forecasts: [forecast(210, 100, "planned", 0)] }, []],
  ["one seed, one mechanism", { seeded: true, forecasts: [forecast(100, 100)] }, []],
  [
    "one seed, two mechanisms",
    { seeded: true, forecasts: [forecast(100, 100), forecast(100, 100, "joint")] },
    ["One seed is one sample"],
  ],
  [
    "almost no step",
    { request: [{ name: "planned", title: "Planned", step_variance_m2: 0.01 }], forecasts: [forecast(100, 100)] },
    [
      "Planned: q = 0.01 m² assumes a movement of about 0.1 m along each axis between two events, almost none. " +
        "1 of 70 landmarks get fresh noise.",
    ],
  ],
  [
    "steps beyond the dataset",
    { steps: [{ title: "Causal filter", step_variance_m2: 1e11 }] },
    ["Causal filter: q = 100,000,000,000 m² assumes a movement of about 316 km along each axis"],
  ],
  ["a plausible step", { steps: [{ title: "Causal filter", step_variance_m2: 9e4 }] }, []],
  ["no step", { steps: [{ title: "Causal filter", step_variance_m2: null }] }, []],
];

for (const [name, given, expected] of CASES) {
  test(name, () => {
    const texts = found(given);
    assert.deepEqual(
      texts.map((text, i) => text.slice(0, expected[i]?.length)),
      expected,
      texts.join("\n"),
    );
  });
}
