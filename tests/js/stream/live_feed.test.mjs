import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { createLiveFeed } from "../../../static/js/stream/live_feed.js";
import { pageOf, setGlobals } from "../support.mjs";

let [sources, answers, timers, cleared] = [[], [], [], []];
class Source extends EventTarget {
  static CLOSED = 2;
  constructor(url) {
    super();
    Object.assign(this, { url, readyState: 1 });
    sources.push(this);
  }
  close() {
    Object.assign(this, { readyState: 2 });
  }
  send(type, value) {
    this.dispatchEvent(Object.assign(new Event(type), { data: JSON.stringify(value) }));
  }
}
const row = (position) => ({ position });
const answer = (body, status = 200) => ({ body, status });
const page = (more = {}) => answer({ state: "open", window_spent: 0, published: 9, results: [], ...more });
const requested = [];
const fetched = async (url) => {
  requested.push(String(url));
  const { body, status } = answers.shift();
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
};
setGlobals({
  EventSource: Source,
  fetch: fetched,
  document: pageOf(),
  window: { setTimeout: (run, ms) => timers.push({ run, ms }), clearTimeout: (timer) => cleared.push(timer) },
});
beforeEach(() => {
  [sources, answers, timers, cleared] = [[], [], [], []];
  requested.length = 0;
});
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

function feed(after = 0) {
  const received = { rows: [], states: [], connections: [] };
  const created = createLiveFeed({ live: "/live/", events: "/events/" }, after, {
    onRows: (rows) => received.rows.push(rows.map(({ position }) => position)),
    onState: ({ state }) => received.states.push(state),
    onConnection: (how) => received.connections.push(how),
  });
  return { ...received, stop: created.stop, source: sources.at(-1) };
}
/** A feed whose connection was refused. */
async function polling(...given) {
  const found = feed(3);
  answers.push(...given);
  found.source.readyState = Source.CLOSED;
  found.source.dispatchEvent(new Event("error"));
  await settled();
  return found;
}
async function next() {
  timers.at(-1).run();
  await settled();
}

test("timestamps come in their order, each once", () => {
  const { rows, source } = feed(3);
  assert.equal(source.url, "/live/?after=3");
  for (const position of [3, 4, 4, 2, 3, 5]) source.send("message", row(position));
  assert.deepEqual(rows, [[3], [4], [5]]);
});

test("state and connection are reported as they come", () => {
  const { states, connections, source } = feed();
  source.dispatchEvent(new Event("open"));
  source.send("state", { state: "paused" });
  source.send("closed", {});
  assert.deepEqual([states, connections, source.readyState], [["paused"], ["live", "over"], Source.CLOSED]);
  const other = feed();
  other.source.send("gone", {});
  assert.deepEqual(other.connections, ["gone"]);
});

test("a connection that fails is left to the browser twice; the third time requests take its place", async () => {
  const { rows, source } = feed(3);
  answers.push(page({ results: [row(3), row(4)] }), page({ results: [row(4), row(5)] }));
  const fail = () => source.dispatchEvent(new Event("error"));
  [fail, fail].forEach((run) => run());
  assert.deepEqual([requested, source.readyState], [[], 1]);
  source.dispatchEvent(new Event("open"));
  [fail, fail].forEach((run) => run());
  assert.deepEqual(requested, [], "it had been there meanwhile");
  fail();
  await settled();
  assert.equal(source.readyState, Source.CLOSED);
  await next();
  assert.deepEqual(requested, ["/events/?after=3", "/events/?after=5"]);
  assert.deepEqual(rows, [[3, 4], [5]]);
});

test("a refused connection is replaced by requests at once and from then on every two seconds", async () => {
  const { connections, states } = await polling(page(), page({ state: "paused" }));
  assert.deepEqual([requested, timers.length, timers[0].ms], [["/events/?after=3"], 1, 2000]);
  await next();
  assert.deepEqual(
    [connections, states],
    [
      ["polling", "polling"],
      ["open", "paused"],
    ],
  );
});

test("a stream that no longer exists or may no longer be read ends the feed", async () => {
  for (const status of [403, 404]) {
    timers = [];
    const { connections } = await polling(answer({ errors: [{ message: "No." }] }, status));
    assert.deepEqual([connections, timers], [["gone"], []], String(status));
  }
});

test("another failure is waited for", async () => {
  const { connections } = await polling(answer({}, 500), page());
  assert.deepEqual([connections, timers.length], [["lost"], 1]);
  await next();
  assert.deepEqual(connections, ["lost", "polling"]);
});

test("a closed stream is read to its end", async () => {
  const closed = { state: "closed", published: 5 };
  const { connections, rows } = await polling(
    page({ ...closed, results: [row(3)] }),
    page({ ...closed, results: [row(4)] }),
  );
  assert.deepEqual([connections, timers.length], [["polling"], 1]);
  await next();
  assert.deepEqual([connections, rows, timers.length], [["polling", "over"], [[3], [4]], 1]);
});

test("a feed that was stopped reports nothing more, whatever is answered", async () => {
  for (const late of [page({ results: [row(3)] }), answer({}, 404), answer({}, 500)]) {
    cleared = [];
    const { rows, connections, source, stop } = feed(3);
    answers.push(late);
    source.readyState = Source.CLOSED;
    source.dispatchEvent(new Event("error"));
    stop();
    await settled();
    assert.deepEqual([rows, connections, timers, cleared.length], [[], [], [], 1], String(late.status));
  }
});
