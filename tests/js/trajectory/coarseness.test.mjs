import assert from "node:assert/strict";
import { test } from "node:test";

import { circleRadii } from "../../../static/js/trajectory/track.js";

test("circles have the scale of the map, or both the same smaller one", () => {
  const degree = 111_195; // metres
  const found = [1, 5.4, 6].map((perMetre) => circleRadii({ half: 5, most: 10 }, perMetre * degree));
  const [own, largest, smaller] = found.map(({ fits, radii }) => [fits, radii.half, radii.most].join(" "));
  assert.deepEqual([own, largest, smaller], ["true 5 10", "true 27 54", "false 27 54"]);
});
