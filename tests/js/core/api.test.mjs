import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import * as api from "../../../static/js/core/api.js";
import { onSessionLost } from "../../../static/js/core/session.js";
import { pageOf, serverOf, setGlobals } from "../support.mjs";

const meta = { content: "ada", dataset: { login: "/login/" } };
const page = Object.assign(pageOf({ "meta[name=session]": meta, "meta[name=csrf-cookie]": { content: "csrf" } }), {
  cookie: "csrf=t0ken",
});
let answers = [];
const server = serverOf(() => (answers.length > 1 ? answers.shift() : answers[0]));
const { sent } = server;
setGlobals({ document: page, fetch: server.fetch, XMLHttpRequest: server.XMLHttpRequest });

let dialogs = 0;
beforeEach(() => {
  [sent.length, answers, dialogs, page.hidden] = [0, [{}], 0, false];
  onSessionLost(async () => ((dialogs += 1), true));
});

/** The error of a refused request. */
const refused = (requested) =>
  requested.then(
    () => assert.fail("not refused"),
    (error) => error,
  );

test("JSON goes out and comes in, with the token unless it reads", async () => {
  answers = [{ body: { id: 7 } }];
  assert.deepEqual(await api.get("/a/"), { id: 7 });
  assert.deepEqual(await api.post("/a/", { x: 1 }, { headers: { "Idempotency-Key": "k" } }), { id: 7 });
  await api.patch("/a/", { y: null });
  answers = [{ status: 204 }];
  assert.equal(await api.del("/a/"), null);
  assert.deepEqual(
    sent.map(({ method, body }) => [method, body]),
    [
      ["GET", undefined],
      ["POST", '{"x":1}'],
      ["PATCH", '{"y":null}'],
      ["DELETE", undefined],
    ],
  );
  assert.deepEqual(sent[0].headers, { Accept: "application/json" });
  assert.deepEqual(sent[1].headers, {
    Accept: "application/json",
    "Content-Type": "application/json",
    "Idempotency-Key": "k",
    "X-CSRFToken": "t0ken",
  });
  assert.equal(sent[3].headers["Content-Type"], undefined);
});

test("text and bytes as they are", async () => {
  answers = [{ body: "<p>ä" }];
  assert.equal(await api.getText("/a/"), "<p>ä");
  assert.deepEqual([...new Uint8Array(await api.getBytes("/a/"))], [...new TextEncoder().encode("<p>ä")]);
  assert.deepEqual(
    sent.map(({ headers }) => headers.Accept),
    ["text/html, */*", "*/*"],
  );
});

test("a refusal states the server's own texts, fields by their labels", async () => {
  const errors = [
    { code: "range", field: "epsilon", message: "epsilon must be greater than 0, got -1." },
    { message: "Wait." },
  ];
  answers = [{ status: 400, body: { errors }, headers: { "Retry-After": "30" } }];
  const error = await refused(api.post("/a/"));
  assert.ok(error instanceof api.ApiError);
  assert.equal(error.message, "Level ε must be greater than 0, got -1. Wait.");
  assert.deepEqual([error.status, error.errors, error.retryAfter], [400, errors, 30]);
});

test("statuses without texts have ours", async () => {
  const cases = [
    [404, "", "It no longer exists."],
    [413, "<html>nginx", "The file is larger than this server accepts."],
    [503, '{"errors": []}', "The server is not available at the moment. Nothing was changed; try again."],
    [500, "{}", "The server failed (status 500). Try again; if it fails again, report it."],
  ];
  for (const [status, body, message] of cases) {
    answers = [{ status, body }];
    const error = await refused(api.get("/a/"));
    assert.deepEqual([error.message, error.status, error.errors[0].code], [message, status, `http-${status}`]);
    assert.equal(error.retryAfter, null);
  }
});

test("no answer is an error that states it; a cancelled request is none", async () => {
  answers = [new TypeError("fetch failed")];
  const error = await refused(api.get("/a/"));
  assert.deepEqual([error.status, error.errors[0].code], [0, "unreached"]);
  assert.equal((await refused(api.get("/a/", { signal: AbortSignal.abort() }))).name, "AbortError");
});

test("after the session was lost a request is sent once more, and only once", async () => {
  answers = [{ status: 401 }, { body: 1 }];
  assert.equal(await api.post("/a/", { x: 1 }), 1);
  assert.deepEqual([sent.length, dialogs, sent[0].body], [2, 1, sent[1].body]);
  answers = [{ status: 401, body: { errors: [{ message: "No." }] } }];
  const error = await refused(api.get("/a/"));
  assert.equal(error.message, "You are logged out. Log in again and repeat this.");
  assert.deepEqual([sent.length, dialogs], [4, 2]);
});

test("who does not log in again is refused; nothing in the background opens a dialog", async () => {
  answers = [{ status: 401 }];
  await refused(api.get("/a/", { background: true }));
  assert.deepEqual([sent.length, dialogs], [1, 0]);
  onSessionLost(async () => false);
  assert.equal((await refused(api.get("/a/"))).status, 401);
  assert.equal(sent.length, 2);
});

test("a request that was cancelled during the dialog is not sent again", async () => {
  const cancel = new AbortController();
  onSessionLost(async () => (cancel.abort(), true));
  answers = [{ status: 401 }];
  assert.equal((await refused(api.get("/a/", { signal: cancel.signal }))).name, "AbortError");
  assert.equal(sent.length, 1);
});

test("an upload reports shares of what is sent", async () => {
  const shares = [];
  answers = [{ body: { id: 7 } }];
  assert.deepEqual(await api.postForm("/a/", "form", { onProgress: (share) => shares.push(share) }), { id: 7 });
  assert.deepEqual([shares, sent[0].body, sent[0].headers["X-CSRFToken"]], [[0.25], "form", "t0ken"]);
  answers = [{ body: "" }];
  assert.equal(await api.postForm("/a/", "form"), null);
});

test("an upload is refused, repeated and cancelled as a request is", async () => {
  answers = [{ status: 507, headers: { "Retry-After": "9" } }];
  const full = await refused(api.transfer("PUT", "/a/"));
  assert.deepEqual([full.message, full.retryAfter], ["The disk of the server is full. Nothing was changed.", 9]);
  answers = [new Error("lost")];
  assert.equal((await refused(api.transfer("PUT", "/a/"))).status, 0);
  answers = [{ status: 401 }, { status: 200, headers: { "Upload-Offset": "5" } }];
  assert.equal((await api.transfer("PUT", "/a/")).getResponseHeader("Upload-Offset"), "5");
  const before = sent.length;
  assert.equal((await refused(api.transfer("PUT", "/a/", { signal: AbortSignal.abort() }))).name, "AbortError");
  assert.equal(sent.length, before, "a cancelled upload is not begun");
  answers = [];
  const cancel = new AbortController();
  const hanging = refused(api.transfer("PUT", "/a/", { signal: cancel.signal }));
  cancel.abort();
  assert.equal((await hanging).name, "AbortError");
});

test("statuses from 200 to 299 are good", async () => {
  for (const status of [199, 200, 299, 300]) {
    answers = [{ status }];
    const good = await api.transfer("PUT", "/a/").then(
      () => true,
      () => false,
    );
    assert.equal(good, status >= 200 && status < 300, String(status));
  }
});

test("a pause ends by time or by its signal", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let over = false;
  const waiting = api.pause(1000).then(() => (over = true));
  t.mock.timers.tick(999);
  await Promise.resolve();
  assert.equal(over, false);
  t.mock.timers.tick(1);
  await waiting;
  await assert.rejects(api.pause(1000, AbortSignal.abort()), { name: "AbortError" });
  const cancel = new AbortController();
  const cancelled = api.pause(1000, cancel.signal);
  cancel.abort();
  await assert.rejects(cancelled, { name: "AbortError" });
});

/** Poll until done, and return the pauses between the requests, in ms. */
async function pausesOf(t, options) {
  const pauses = [];
  t.mock.method(globalThis, "setTimeout", (run, ms) => {
    pauses.push(ms);
    queueMicrotask(run);
  });
  try {
    return [await api.poll("/job/", options), pauses];
  } finally {
    t.mock.restoreAll();
  }
}

test("polling goes on until it is over, and shows each answer", async (t) => {
  answers = [{ body: { n: 1 } }, { body: { n: 2 } }, { body: { n: 3 } }];
  const seen = [];
  const options = { until: ({ n }) => n === 3, every: 700, onUpdate: ({ n }) => seen.push(n) };
  assert.deepEqual(await pausesOf(t, options), [{ n: 3 }, [700, 700]]);
  assert.deepEqual(seen, [1, 2, 3]);
});

test("failed polls are repeated more and more slowly, at most half a minute apart, and 4xx ends them", async (t) => {
  const until = (answer) => answer?.done;
  const missed = [new TypeError("lost"), { status: 500 }, { status: 429 }];
  answers = [...missed, { body: {} }, ...missed, { body: { done: true } }];
  assert.deepEqual(await pausesOf(t, { until }), [{ done: true }, [2000, 4000, 8000, 1000, 2000, 4000, 8000]]);
  answers = [...Array(7).fill({ status: 503 }), { body: { done: true } }];
  assert.deepEqual((await pausesOf(t, { until }))[1], [2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  for (const status of [400, 401, 404]) {
    answers = [{ status }];
    assert.equal((await refused(pausesOf(t, { until }))).status, status);
  }
  assert.equal(dialogs, 0);
});

test("a page that is not seen polls every five seconds", async (t) => {
  page.hidden = true;
  answers = [{ body: 0 }, { body: 1 }];
  assert.deepEqual((await pausesOf(t, { until: Boolean }))[1], [5000]);
  answers = [{ body: 0 }, { body: 1 }];
  assert.deepEqual((await pausesOf(t, { until: Boolean, every: 9000 }))[1], [9000]);
});
