import assert from "node:assert/strict";
import { test } from "node:test";

import { protectionOf, protectionText } from "../../../../static/js/trajectory/release_form/protection_text.js";
import { check, spaced } from "../../cases.mjs";

test("a level as the API takes it", () =>
  check(protectionOf, [
    [["guess", 75], { guess: 0.75 }],
    [["epsilon", 0.3], { epsilon: 0.3 }],
  ]));

test("what a level protects, in a sentence that never rounds a share up to certainty", () => {
  const text = (radius_m, guess) => spaced(protectionText({ radius_m, guess }));
  assert.match(
    text(200, 0.73106),
    /^If events are independent.* each up to 200 m away, is right with at most 73\.1 %\.$/,
  );
  assert.match(text(1000, 0.99999999), / each up to 1 km away, is right with over 99\.9 %\.$/);
  assert.match(text(1000, 0.999), /with at most 99\.9 %\.$/);
});
