import assert from "node:assert/strict";
import { test } from "node:test";

import { rangeOf, readdress, withQuery } from "../../../static/js/core/address.js";
import { setGlobals } from "../support.mjs";

test("a range is two whole numbers in order", () => {
  assert.deepEqual(rangeOf("0-1"), [0, 1]);
  assert.deepEqual(rangeOf("10-200"), [10, 200]);
  for (const text of [null, "", "5", "5-5", "6-5", "-1-5", "-5", "1-2-3", "1.5-3", "1-2.5", "a-b", "1-b"])
    assert.equal(rangeOf(text), null, String(text));
});

test("parameters are added behind those there are", () => {
  assert.equal(withQuery("/a/", { q: "x y", n: 2 }), "/a/?q=x+y&n=2");
  assert.equal(withQuery("/a/?b=1", { q: "&" }), "/a/?b=1&q=%26");
});

test("the address follows without a load, readable, and the rest of it stays", () => {
  const calls = [];
  setGlobals({
    location: { href: "http://cairn/x/?keep=1#part" },
    history: { replaceState: (...given) => calls.push(given) },
  });
  readdress(({ searchParams }) => searchParams.set("view", "1,2:3/4"));
  assert.deepEqual(calls, [[null, "", "http://cairn/x/?keep=1&view=1,2:3%2F4#part"]]);
});
