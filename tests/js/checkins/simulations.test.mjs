import assert from "node:assert/strict";
import { test } from "node:test";

import { simulated } from "../../../static/js/checkins/simulations.js";

test("a model is simulated with the parameters shown where it has them, else with its own", () => {
  const fields = [
    { name: "epsilon", value: 9 },
    { name: "own", value: 2 },
    { name: "none", value: null },
  ];
  const models = [
    { name: "m", fields },
    { name: "n", fields: [] },
  ];
  assert.deepEqual(simulated(models, { epsilon: 1, other: 3, none: 0 }), [
    { name: "m", epsilon: 1, own: 2, none: 0 },
    { name: "n" },
  ]);
});
