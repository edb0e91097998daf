import { deepEqual, equal, fail, match, ok, rejects } from "node:assert/strict";
import { beforeEach, test } from "node:test";

import * as api from "../../../static/js/core/api.js";
import { idempotencyHeaders, noted } from "../../../static/js/core/api.js";
import * as session from "../../../static/js/core/session.js";
import { csrfToken, refreshFormTokens } from "../../../static/js/core/csrf.js";
import { labelOf, learnLabels, messageOf, sentenceOf } from "../../../static/js/core/field_errors.js";
import { gives } from "../cases.mjs";
import { pageOf, serverOf, setGlobals, settled } from "../support.mjs";

const { isRepeatable, logIn, onSessionLost, restoreSession } = session;
const meta = { content: "ada", dataset: { login: "/login/" } };
const elements = { "meta[name=session]": meta, "meta[name=csrf-cookie]": { content: "csrf" } };
const page = pageOf(elements);
let answers = [];
const server = serverOf((one) => {
  const answer = answers.length > 1 ? answers.shift() : answers[0];
  return typeof answer === "function" ? answer(one) : answer;
});
const { sent } = server;
setGlobals({ document: page, fetch: server.fetch, XMLHttpRequest: server.XMLHttpRequest });

const JSON_TYPE = { "Content-Type": "application/json" };
const LOST = { status: 401, errors: [] };
const TOKEN = { status: 403, errors: [{ message: "CSRF token missing." }] };
let dialogs = 0;
const onLost = (works) => onSessionLost(async () => ((dialogs += 1), works));
const loggedIn = (user) => (answers = [{ body: { user }, headers: JSON_TYPE }]);
beforeEach(() => {
  [sent.length, dialogs, meta.content, page.hidden, page.cookie] = [0, 0, "ada", false, "a=b; csrf=t0ken; csrf2=no"];
  onLost(true);
  answers = [{}];
});

/** The error of a refused request. */
const refused = (requested) =>
  requested.then(
    () => fail("not refused"),
    (error) => error,
  );

test("JSON goes out and comes in, with the token unless it reads", async () => {
  answers = [{ body: { id: 7 } }];
  deepEqual(await api.get("/a/"), { id: 7 });
  deepEqual(await api.post("/a/", { x: 1 }, { headers: { "Idempotency-Key": "k" } }), { id: 7 });
  await api.patch("/a/", { y: null });
  answers = [{ status: 204 }];
  equal(await api.del("/a/"), null);
  const requests = sent.map(({ method, body }) => `${method} ${body}`);
  deepEqual(requests, ["GET undefined", 'POST {"x":1}', 'PATCH {"y":null}', "DELETE undefined"]);
  deepEqual(sent[0].headers, { Accept: "application/json" });
  const own = { "Idempotency-Key": "k", "X-CSRFToken": "t0ken" };
  deepEqual(sent[1].headers, { Accept: "application/json", ...JSON_TYPE, ...own });
  equal(sent[3].headers["Content-Type"], undefined);
});

test("text and bytes as they are", async () => {
  answers = [{ body: "<p>ä" }];
  equal(await api.getText("/a/"), "<p>ä");
  deepEqual([...new Uint8Array(await api.getBytes("/a/"))], [...new TextEncoder().encode("<p>ä")]);
  deepEqual([sent[0].headers.Accept, sent[1].headers.Accept], ["text/html, */*", "*/*"]);
});

test("a refusal states the server's own texts, fields by their labels; statuses without texts have ours", async () => {
  const problem = { code: "range", field: "epsilon", message: "epsilon must be greater than 0, got -1." };
  const errors = [problem, { message: "Wait." }];
  answers = [{ status: 400, body: { errors }, headers: { "Retry-After": "30" } }];
  const error = await refused(api.post("/a/"));
  ok(error instanceof api.ApiError);
  equal(error.message, "Level ε must be greater than 0, got -1. Wait.");
  deepEqual([error.status, error.errors, error.retryAfter], [400, errors, 30]);
  for (const [status, body, message] of [
    [404, "", "It no longer exists."],
    [413, "<html>nginx", "The file is larger than this server accepts."],
    [503, '{"errors": []}', "The server is not available at the moment. Nothing was changed; try again."],
    [500, "{}", "The server failed (status 500). Try again; if it fails again, report it."],
  ]) {
    answers = [{ status, body }];
    const found = await refused(api.get("/a/"));
    deepEqual([found.message, found.status, found.errors[0].code], [message, status, `http-${status}`]);
    equal(found.retryAfter, null);
  }
});

test("no answer is an error that states it; a cancelled request is none", async () => {
  answers = [new TypeError("fetch failed")];
  const error = await refused(api.get("/a/"));
  deepEqual([error.status, error.errors[0].code], [0, "unreached"]);
  equal((await refused(api.get("/a/", { signal: AbortSignal.abort() }))).name, "AbortError");
});

test("after the session was lost a request is sent once more, and only once", async () => {
  answers = [{ status: 401 }, { body: 1 }];
  equal(await api.post("/a/", { x: 1 }), 1);
  deepEqual([sent.length, dialogs, sent[0].body], [2, 1, sent[1].body]);
  answers = [{ status: 401, body: { errors: [{ message: "No." }] } }];
  const error = await refused(api.get("/a/"));
  equal(error.message, "You are logged out. Log in again and repeat this.");
  deepEqual([sent.length, dialogs], [4, 2]);
});

test("who does not log in again is refused; in the background no dialog opens, nor after a cancel", async () => {
  answers = [{ status: 401 }];
  await refused(api.get("/a/", { background: true }));
  deepEqual([sent.length, dialogs], [1, 0]);
  onLost(false);
  equal((await refused(api.get("/a/"))).status, 401);
  equal(sent.length, 2);
  const cancel = new AbortController();
  onSessionLost(async () => (cancel.abort(), true));
  equal((await refused(api.get("/a/", { signal: cancel.signal }))).name, "AbortError");
  equal(sent.length, 3, "cancelled during the dialog");
});

test("an upload reports shares of what is sent", async () => {
  const shares = [];
  answers = [{ body: { id: 7 } }];
  deepEqual(await api.postForm("/a/", "form", { onProgress: (share) => shares.push(share) }), { id: 7 });
  deepEqual([shares, sent[0].body, sent[0].headers["X-CSRFToken"]], [[0.25], "form", "t0ken"]);
  answers = [{ body: "" }];
  equal(await api.postForm("/a/", "form"), null);
});

test("an upload is refused, repeated and cancelled as a request is", async () => {
  answers = [{ status: 507, headers: { "Retry-After": "9" } }];
  const full = await refused(api.transfer("PUT", "/a/"));
  deepEqual([full.message, full.retryAfter], ["The disk of the server is full. Nothing was changed.", 9]);
  answers = [new Error("lost")];
  equal((await refused(api.transfer("PUT", "/a/"))).status, 0);
  answers = [{ status: 401 }, { status: 200, headers: { "Upload-Offset": "5" } }];
  equal((await api.transfer("PUT", "/a/")).getResponseHeader("Upload-Offset"), "5");
  const before = sent.length;
  equal((await refused(api.transfer("PUT", "/a/", { signal: AbortSignal.abort() }))).name, "AbortError");
  equal(sent.length, before, "a cancelled upload is not begun");
  answers = [];
  const cancel = new AbortController();
  const hanging = refused(api.transfer("PUT", "/a/", { signal: cancel.signal }));
  cancel.abort();
  equal((await hanging).name, "AbortError");
  for (const status of [199, 200, 299, 300]) {
    answers = [{ status }];
    const outcomes = await Promise.allSettled([api.transfer("PUT", "/a/")]);
    equal(outcomes[0].status, status >= 200 && status < 300 ? "fulfilled" : "rejected", String(status));
  }
});

test("a pause ends by time or by its signal", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let over = false;
  const waiting = api.pause(1000).then(() => (over = true));
  t.mock.timers.tick(999);
  await Promise.resolve();
  equal(over, false);
  t.mock.timers.tick(1);
  await waiting;
  await rejects(api.pause(1000, AbortSignal.abort()), { name: "AbortError" });
  const cancel = new AbortController();
  const cancelled = api.pause(1000, cancel.signal);
  cancel.abort();
  await rejects(cancelled, { name: "AbortError" });
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

test("polling goes on until it is over, and shows each answer; every five seconds where it is not seen", async (t) => {
  const counted = [1, 2, 3].map((n) => ({ body: { n } }));
  answers = [...counted];
  const seen = [];
  const options = { until: ({ n }) => n === 3, every: 700, onUpdate: ({ n }) => seen.push(n) };
  deepEqual(await pausesOf(t, options), [{ n: 3 }, [700, 700]]);
  deepEqual(seen, [1, 2, 3]);
  page.hidden = true;
  for (const [every, pause] of Object.entries({ 700: 5000, 9000: 9000 })) {
    answers = [...counted];
    deepEqual((await pausesOf(t, { ...options, every: Number(every) }))[1], [pause, pause]);
  }
});

test("failed polls are repeated more and more slowly, at most half a minute apart, and 4xx ends them", async (t) => {
  const until = (answer) => answer?.done;
  const missed = [new TypeError("lost"), { status: 500 }, { status: 429 }];
  answers = [...missed, { body: {} }, ...missed, { body: { done: true } }];
  deepEqual(await pausesOf(t, { until }), [{ done: true }, [2000, 4000, 8000, 1000, 2000, 4000, 8000]]);
  answers = [...Array(7).fill({ status: 503 }), { body: { done: true } }];
  deepEqual((await pausesOf(t, { until }))[1], [2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  for (const status of [400, 401, 404]) {
    answers = [{ status }];
    equal((await refused(pausesOf(t, { until }))).status, status);
  }
  equal(dialogs, 0);
});

test("where the session is lost, the answer of the dialog decides; a page without a user repeats nothing", async () => {
  equal(await isRepeatable(LOST), true);
  onLost(false);
  equal(await isRepeatable(LOST), false);
  equal(dialogs, 2);
  meta.content = "";
  equal(session.pageUser(), "");
  deepEqual([await isRepeatable(LOST), await isRepeatable(TOKEN)], [false, false]);
  deepEqual([dialogs, sent], [2, []]);
});

test("one dialog serves all that wait, and the next loss has its own, also after one that failed", async () => {
  deepEqual([await Promise.all([restoreSession(), isRepeatable(LOST)]), dialogs], [[true, true], 1]);
  await restoreSession();
  equal(dialogs, 2);
  onSessionLost(() => Promise.reject(new Error("closed")));
  await rejects(restoreSession(), /closed/);
  onLost(true);
  equal(await restoreSession(), true);
});

test("a stale token is repeated as the same user only, without a session after the dialog", async () => {
  loggedIn("ada");
  equal(await isRepeatable(TOKEN), true);
  loggedIn("bob");
  equal(await isRepeatable(TOKEN), false, "another user must not send what this one wrote");
  equal(dialogs, 0);
  loggedIn(null);
  equal(await isRepeatable(TOKEN), true);
  equal(dialogs, 1);
});

test("other refusals are final", async () => {
  const errors = [{ message: "No CSRF here." }];
  for (const status of [400, 403, 404, 409, 500]) equal(await isRepeatable({ status, errors }), false, String(status));
  equal(await isRepeatable({ ...TOKEN, status: 400 }), false);
  deepEqual([dialogs, sent.length], [0, 0]);
});

test("who is logged in; a login in another tab is enough", async () => {
  loggedIn("ada");
  deepEqual(await logIn("ada", "x", ""), { user: "ada", problem: "" });
  equal(sent.length, 1);
  const [{ url, method, credentials, headers }] = sent;
  deepEqual([url, method, credentials], ["/login/", "GET", "same-origin"]);
  equal(headers["X-CSRFToken"], undefined);
  loggedIn(null);
  deepEqual(await session.currentSession(), { user: null, problem: "", needsCode: false });
});

test("a login sends the cookie's token and what was typed; its problems", async () => {
  const answered = (posted, other) => [
    ({ method }) => ({ headers: JSON_TYPE, ...(method === "POST" ? posted : other) }),
  ];
  answers = answered({ body: { user: "ada" } }, { body: { user: null } });
  equal((await logIn("ada", "pass phrase", "123")).user, "ada");
  const { method, headers, body } = sent[1];
  deepEqual([method, String(body)], ["POST", "username=ada&password=pass+phrase&code=123"]);
  equal(headers["X-CSRFToken"], "t0ken");
  const errors = [{ code: "second-factor", message: "Give the code." }, { message: "Wait." }];
  answers = answered({ status: 400, body: { errors } }, { body: {} });
  deepEqual(await logIn("ada", "x", ""), { user: null, problem: "Give the code. Wait.", needsCode: true });
  answers = answered({ status: 400, body: { errors: errors.slice(1) } }, { body: {} });
  deepEqual(await logIn("ada", "x", ""), { user: null, problem: "Wait.", needsCode: false });
  for (const [answer, problem] of [
    [{ status: 502, headers: JSON_TYPE }, "The server could not log you in (status 502). Try again."],
    [
      { body: "<p>", headers: { "Content-Type": "text/html" } },
      "The server could not log you in (status 200). Try again.",
    ],
    [new TypeError("fetch failed"), "The server did not answer. Try again."],
  ]) {
    answers = [answer];
    equal((await session.currentSession()).problem, problem);
  }
});

test("while a server compiles its note is shown where an answer takes long, until the last is there", async (t) => {
  equal(await noted(Promise.resolve(5)), 5, "a page served after all was compiled has none");
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const note = (elements["[data-compiling]"] = { hidden: true });
  await noted(Promise.resolve());
  t.mock.timers.tick(5000);
  equal(note.hidden, true, "a quick answer");
  const [one, other] = [Promise.withResolvers(), Promise.withResolvers()];
  const both = Promise.allSettled([noted(one.promise), noted(other.promise)]);
  t.mock.timers.tick(999);
  equal(note.hidden, true);
  t.mock.timers.tick(1);
  equal(note.hidden, false);
  one.resolve(1);
  await settled();
  equal(note.hidden, false, "another one is still awaited");
  other.reject(new Error("lost"));
  equal((await both).map(({ status }) => status).join(), "fulfilled,rejected");
  equal(note.hidden, true);
});

test("a form sends the token of the cookie of this name at the moment, its own where there is none", () => {
  refreshFormTokens();
  const field = { value: "old" };
  const target = { elements: { namedItem: (name) => (name === "csrfmiddlewaretoken" ? field : null) } };
  for (const [cookie, token, value] of [
    ["xcsrf=no", "", "old"],
    ["xcsrf=no; csrf=a=b; csrf2=no", "a=b", "a=b"],
  ]) {
    page.cookie = cookie;
    page.dispatchEvent(Object.defineProperty(new Event("submit"), "target", { value: target }));
    deepEqual([csrfToken(), field.value], [token, value], cookie);
  }
});

test("the same body has the same key, another one another", () => {
  const key = (seed) => idempotencyHeaders({ epsilon: 1, seed })["Idempotency-Key"];
  const keys = Array.from({ length: 201 }, (_, seed) => key(seed));
  for (const one of keys) match(one, /^[0-9a-f]{32}$/);
  deepEqual(
    Array.from(keys, (_, seed) => key(seed)),
    keys,
  );
  equal(new Set(keys).size, 201);
});

test("a path is called by the label of its last name", () => {
  learnLabels([{ name: "own_rate", label: "Own rate β" }]);
  gives(labelOf, { epsilon: "Level ε", "mechanism.epsilon": "Level ε", "grid.0.epsilon.12": "Level ε" });
  gives(labelOf, { "release.own_rate": "Own rate β", max_gap_s: "Max gap", area_m2: "Area", names: "Names" });
  gives(labelOf, { top_speed_kmh: "Top speed" });
  equal(labelOf("0.1"), "0.1");
});

test("beside its field a message does not name it, elsewhere by its label; one that begins otherwise stays", () => {
  const problem = { field: "mechanism.epsilon", message: "mechanism.epsilon must be greater than 0, got -1." };
  equal(messageOf(problem), "Must be greater than 0, got -1.");
  equal(sentenceOf(problem), "Level ε must be greater than 0, got -1.");
  for (const other of [{ message: "Two names are alike." }, { field: "name", message: "Names are alike." }])
    deepEqual([sentenceOf(other), messageOf(other)], [other.message, other.message]);
  equal(sentenceOf({ field: "epsilon", message: "epsilons differ." }), "epsilons differ.");
});
