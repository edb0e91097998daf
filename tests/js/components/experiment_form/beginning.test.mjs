import assert from "node:assert/strict";
import { test } from "node:test";

import { beginningOf } from "../../../../static/js/components/experiment_form/beginning.js";

test("a beginning has one name", () => {
  const cases = {
    "": "kind=trajectory",
    "?kind=trajectory": "kind=trajectory",
    "?kind=stream&utm=1": "kind=stream",
    "?dataset=7": "dataset=7&kind=trajectory",
    "?dataset=7&preset=loss&kind=stream": "preset=loss&dataset=7",
    "?preset=loss": "preset=loss",
    "?preset=": "kind=trajectory",
    "?from=3": "from=3",
    "?release=4&from=3": "from=3&release=4",
  };
  for (const [search, name] of Object.entries(cases)) assert.equal(beginningOf(search), name, search);
});
