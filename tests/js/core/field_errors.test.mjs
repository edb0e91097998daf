import assert from "node:assert/strict";
import { test } from "node:test";

import { labelOf, learnLabels, messageOf, sentenceOf } from "../../../static/js/core/field_errors.js";

test("a path is called by the label of its last name", () => {
  learnLabels([{ name: "own_rate", label: "Own rate β" }]);
  const cases = [
    ["epsilon", "Level ε"],
    ["mechanism.epsilon", "Level ε"],
    ["grid.0.epsilon.12", "Level ε"],
    ["release.own_rate", "Own rate β"],
    ["max_gap_s", "Max gap"],
    ["area_m2", "Area"],
    ["top_speed_kmh", "Top speed"],
    ["names", "Names"],
    ["0.1", "0.1"],
  ];
  for (const [path, label] of cases) assert.equal(labelOf(path), label, path);
});

const PROBLEM = { field: "mechanism.epsilon", message: "mechanism.epsilon must be greater than 0, got -1." };

test("beside its field a message does not name it, elsewhere it does by its label", () => {
  assert.equal(messageOf(PROBLEM), "Must be greater than 0, got -1.");
  assert.equal(sentenceOf(PROBLEM), "Level ε must be greater than 0, got -1.");
});

test("a message that does not begin with its field stays", () => {
  for (const problem of [{ message: "Two names are alike." }, { field: "name", message: "Names are alike." }]) {
    assert.equal(sentenceOf(problem), problem.message);
    assert.equal(messageOf(problem), problem.message);
  }
  assert.equal(sentenceOf({ field: "epsilon", message: "epsilons differ." }), "epsilons differ.");
});
