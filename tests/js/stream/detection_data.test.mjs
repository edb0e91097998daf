import assert from "node:assert/strict";
import { test } from "node:test";

import * as detection from "../../../static/js/stream/detection_data.js";
import { check } from "../cases.mjs";

test("an event takes fewer timestamps than there are, at most 10,000", () =>
  check(
    (timestamps) => {
      const { rule, value } = detection.lengthRule(timestamps);
      assert.ok(rule.whole && rule.required);
      return [rule.minimum, rule.maximum, value];
    },
    [
      [[40], [1, 39, 10]],
      [[11], [1, 10, 10]],
      [[5], [1, 4, 4]],
      [[1], [1, 1, 1]],
      [[20_000], [1, 10_000, 10]],
    ],
  ));

test("an area, or why there is none", () =>
  check(
    (curve, positives) => detection.areaText({ curve, positives }),
    [
      [[{ area: 0.98765 }, 4], "0.988"],
      [[{ area: 0 }, 4], "0"],
      [[null, 4], "every timestamp is such an event"],
      [[null, 0], "no such event"],
    ],
  ));

test("what is detected and judged", () => {
  assert.match(detection.aboutText("jump"), /^A jump .* up or down\. The uploaded counts are judged/);
  assert.match(detection.aboutText("low-signal"), /^A low signal .* below the threshold\. The uploaded counts/);
});

test("releases without a curve are left out, the others keep their own", () => {
  const releases = ["a", "b", "c"].map((id) => ({
    id,
    title: id.toUpperCase(),
    style: { colour: `--${id}` },
    urls: {},
  }));
  const found = [1, null, 3].map((x) => ({
    curve: x && { false_positive_rate: [0, x], true_positive_rate: [x, 1] },
    ...{ positives: 1, negatives: 1 },
  }));
  assert.deepEqual(detection.curvesOf(releases, found), [
    { id: "a", name: "A", colour: "--a", x: [0, 1], y: [1, 1] },
    { id: "c", name: "C", colour: "--c", x: [0, 3], y: [3, 1] },
  ]);
});

test("every error has one place: beside its field, where there is one, else with the others", () => {
  const errors = ["length", "event", undefined, "threshold", "constructor"].map((field) => ({
    field,
    message: `${field}`,
  }));
  const { beside, others } = detection.besideFields(errors, ["length", "threshold"]);
  assert.deepEqual(
    beside.map(({ message }) => message),
    ["length", "threshold"],
  );
  assert.deepEqual(
    others.map(({ message }) => message),
    ["event", "undefined", "constructor"],
  );
});
