import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import * as style from "../../../static/js/core/series_style.js";
import { pageOf, setGlobals } from "../support.mjs";

const TOKENS = { "--foreground": " #222 ", "--accent": "#c00" };
const HUE = { light: "#111", dark: "#eee" };
const page = pageOf();
setGlobals({
  document: page,
  getComputedStyle: () => ({ getPropertyValue: (name) => TOKENS[name] ?? "" }),
  matchMedia: (query) => ({ matches: query.includes("reduce") }),
});
beforeEach(() => void (page.documentElement.dataset.theme = "light"));

test("a colour for the theme that is shown", () => {
  const colours = () => ["#e69f00", "--accent", HUE, null, undefined].map(style.cssColour);
  assert.deepEqual(colours(), ["#e69f00", "#c00", "#111", "#222", "#222"]);
  page.documentElement.dataset.theme = "dark";
  assert.equal(style.isDark(), true);
  assert.deepEqual(colours(), ["#e69f00", "#c00", "#eee", "#222", "#222"]);
});

test("a colour for both themes", () => {
  assert.deepEqual(["#e69f00", "--accent", HUE].map(style.themedColour), [
    "#e69f00",
    "var(--accent)",
    "light-dark(#111, #eee)",
  ]);
});

test("dashes as lengths and as Plotly takes them", () => {
  assert.deepEqual(["7 3 2 3", "", null].map(style.dashLengths), [[7, 3, 2, 3], [], []]);
  assert.deepEqual(["7 3 2 13", "", null].map(style.plotDash), ["7px,3px,2px,13px", "solid", "solid"]);
});

test("listeners of the theme, and whether motion is wanted", () => {
  let calls = 0;
  style.onTheme(() => (calls += 1));
  page.dispatchEvent(new Event("cairn:theme"));
  assert.equal(calls, 1);
  assert.equal(style.mayMove(), false);
});
