import assert from "node:assert/strict";
import { test } from "node:test";

import { csrfToken, refreshFormTokens } from "../../../static/js/core/csrf.js";
import { pageOf, setGlobals } from "../support.mjs";

const page = pageOf({ "meta[name=csrf-cookie]": { content: "token" } });
setGlobals({ document: page });

test("the token is that of the cookie of this name", () => {
  page.cookie = "xtoken=no; token=a=b; token2=no";
  assert.equal(csrfToken(), "a=b");
  page.cookie = "xtoken=no";
  assert.equal(csrfToken(), "");
});

test("a form sends the token of the moment, and keeps its own where there is no cookie", () => {
  refreshFormTokens();
  const field = { value: "old" };
  const elements = { namedItem: (name) => (name === "csrfmiddlewaretoken" ? field : null) };
  const submit = () =>
    page.dispatchEvent(Object.defineProperty(new Event("submit"), "target", { value: { elements } }));
  page.cookie = "";
  submit();
  assert.equal(field.value, "old");
  page.cookie = "token=new";
  submit();
  assert.equal(field.value, "new");
});
