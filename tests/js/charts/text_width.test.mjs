import assert from "node:assert/strict";
import { test } from "node:test";

import { widthOf, wrapped } from "../../../static/js/charts/text_width.js";
import { setGlobals } from "../support.mjs";

setGlobals({ document: { createElement: () => ({ getContext: () => null }) } });
const unmeasured = widthOf("abcd", { family: "", size: 10 });
const context = { font: "", measureText: (text) => ({ width: 6 * text.length }) };
setGlobals({ document: { createElement: () => ({ getContext: () => context }) } });
const FONT = { family: "sans-serif", size: 11 };

test("a text is measured in its font, or estimated", () => {
  assert.equal(unmeasured, 24);
  assert.equal(widthOf("abc", FONT), 18);
  assert.equal(context.font, "400 11px sans-serif");
  widthOf("abc", { ...FONT, weight: 600 });
  assert.equal(context.font, "600 11px sans-serif");
});

test("lines are as long as they may be and lose nothing; what has no space may be longer", () => {
  const text = "Each event's own loss, mean over events, ε, log";
  for (let width = 0; width <= 300; width += 7) {
    const lines = wrapped(text, width, FONT);
    assert.equal(lines.join(" "), text);
    lines.forEach((line, i) => {
      assert.ok(widthOf(line, FONT) <= width || !line.includes(" "), `“${line}” in ${width} px`);
      const [next] = (lines[i + 1] ?? "").split(" ");
      if (next) assert.ok(widthOf(`${line} ${next}`, FONT) > width, `“${line} ${next}” fits in ${width} px`);
    });
  }
  assert.deepEqual(wrapped("a  b", 18, FONT), ["a b"]);
  assert.deepEqual(wrapped("", 100, FONT), []);
});
