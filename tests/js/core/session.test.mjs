import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import {
  currentSession,
  isRepeatable,
  logIn,
  onSessionLost,
  pageUser,
  restoreSession,
} from "../../../static/js/core/session.js";
import { pageOf, setGlobals } from "../support.mjs";

const meta = { content: "ada", dataset: { login: "/login/" } };
let sent = [];
let answer = null;

setGlobals({
  document: Object.assign(pageOf({ "meta[name=session]": meta, "meta[name=csrf-cookie]": { content: "csrf" } }), {
    cookie: "a=b; csrf=t0ken; csrf2=no",
  }),
  fetch: async (url, options) => {
    sent.push([url, options]);
    const { status = 200, body, type = "application/json" } = typeof answer === "function" ? answer(options) : answer;
    if (status === 0) throw new TypeError("fetch failed");
    return new Response(JSON.stringify(body), { status, headers: { "Content-Type": type } });
  },
});

const LOST = { status: 401, errors: [] };
const TOKEN = { status: 403, errors: [{ message: "CSRF token missing." }] };
let dialogs = 0;
const onLost = (works) => onSessionLost(async () => ((dialogs += 1), works));
const loggedIn = (user) => (answer = { body: { user } });

beforeEach(() => {
  [sent, dialogs, meta.content] = [[], 0, "ada"];
  onLost(true);
  loggedIn("ada");
});

test("a page without a user repeats nothing", async () => {
  meta.content = "";
  assert.equal(pageUser(), "");
  assert.equal(await isRepeatable(LOST), false);
  assert.equal(await isRepeatable(TOKEN), false);
  assert.deepEqual([dialogs, sent], [0, []]);
});

test("where the session is lost, the answer of the dialog decides", async () => {
  assert.equal(await isRepeatable(LOST), true);
  onLost(false);
  assert.equal(await isRepeatable(LOST), false);
  assert.equal(dialogs, 2);
});

test("one dialog serves all that wait, and the next loss has its own", async () => {
  const both = await Promise.all([restoreSession(), isRepeatable(LOST)]);
  assert.deepEqual([both, dialogs], [[true, true], 1]);
  await restoreSession();
  assert.equal(dialogs, 2);
});

test("a dialog that fails is not in the way of the next", async () => {
  onSessionLost(() => Promise.reject(new Error("closed")));
  await assert.rejects(restoreSession(), /closed/);
  onLost(true);
  assert.equal(await restoreSession(), true);
});

test("a stale token is repeated as the same user only", async () => {
  assert.equal(await isRepeatable(TOKEN), true);
  loggedIn("bob");
  assert.equal(await isRepeatable(TOKEN), false, "another user must not send what this one wrote");
  assert.equal(dialogs, 0);
});

test("a stale token without a session waits for the dialog", async () => {
  loggedIn(null);
  assert.equal(await isRepeatable(TOKEN), true);
  assert.equal(dialogs, 1);
});

test("other refusals are final", async () => {
  for (const status of [400, 403, 404, 409, 500]) {
    assert.equal(await isRepeatable({ status, errors: [{ message: "No CSRF here." }] }), false, String(status));
  }
  assert.equal(await isRepeatable({ ...TOKEN, status: 400 }), false);
  assert.deepEqual([dialogs, sent.length], [0, 0]);
});

test("who is logged in", async () => {
  assert.equal((await currentSession()).user, "ada");
  const [[url, { method, credentials, headers }]] = sent;
  assert.deepEqual([url, method, credentials], ["/login/", "GET", "same-origin"]);
  assert.equal(headers["X-CSRFToken"], undefined);
  loggedIn(null);
  assert.deepEqual(await currentSession(), { user: null, problem: "", needsCode: false });
});

test("a login sends the cookie's token and what was typed", async () => {
  answer = ({ method = "" }) => ({ body: { user: method === "POST" ? "ada" : null } });
  assert.equal((await logIn("ada", "pass phrase", "123")).user, "ada");
  const { method, headers, body } = sent[1][1];
  assert.deepEqual([method, String(body)], ["POST", "username=ada&password=pass+phrase&code=123"]);
  assert.equal(headers["X-CSRFToken"], "t0ken");
});

test("a login in another tab is enough", async () => {
  assert.deepEqual(await logIn("ada", "x", ""), { user: "ada", problem: "" });
  assert.equal(sent.length, 1);
});

test("problems of a login", async () => {
  const refused = { errors: [{ code: "second-factor", message: "Give the code." }, { message: "Wait." }] };
  answer = ({ method = "" }) => ({ status: method === "POST" ? 400 : 200, body: method === "POST" ? refused : {} });
  assert.deepEqual(await logIn("ada", "x", ""), { user: null, problem: "Give the code. Wait.", needsCode: true });
  refused.errors.shift();
  assert.deepEqual(await logIn("ada", "x", ""), { user: null, problem: "Wait.", needsCode: false });
  answer = { status: 502, body: "" };
  assert.equal((await currentSession()).problem, "The server could not log you in (status 502). Try again.");
  answer = { body: "<p>", type: "text/html" };
  assert.equal((await currentSession()).problem, "The server could not log you in (status 200). Try again.");
  answer = { status: 0 };
  assert.equal((await currentSession()).problem, "The server did not answer. Try again.");
});
