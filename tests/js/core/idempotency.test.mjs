import assert from "node:assert/strict";
import { test } from "node:test";

import { idempotencyHeaders } from "../../../static/js/core/idempotency.js";

test("the same body has the same key, another one another", () => {
  const key = (body) => idempotencyHeaders(body)["Idempotency-Key"];
  const first = key({ epsilon: 1, seed: 2 });
  assert.match(first, /^[0-9a-f]{32}$/);
  assert.equal(key({ epsilon: 1, seed: 2 }), first);
  const others = Array.from({ length: 200 }, (_, i) => key({ epsilon: 1, seed: i + 3 }));
  assert.equal(new Set([first, ...others]).size, 201);
});
