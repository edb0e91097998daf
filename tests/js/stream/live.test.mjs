import { deepEqual, equal, ok } from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { createLiveFeed, windowSums, withFresh } from "../../../static/js/stream/live_feed.js";
import { rows } from "../cases.mjs";
import { draws, pageOf, setGlobals } from "../support.mjs";

let [sources, answers, timers, cleared, requested] = [];
class Source extends EventTarget {
  static CLOSED = 2;
  constructor(url) {
    super();
    Object.assign(this, { url, readyState: 1 });
    sources.push(this);
  }
  close() {
    this.readyState = Source.CLOSED;
  }
  send(type, value) {
    this.dispatchEvent(Object.assign(new Event(type), { data: JSON.stringify(value) }));
  }
  fail(more = {}) {
    Object.assign(this, more).dispatchEvent(new Event("error"));
  }
}
const row = (position) => ({ position });
const page = (more = {}) => ({ state: "open", window_spent: 0, published: 9, results: [], ...more });
setGlobals({
  EventSource: Source,
  fetch: async (url) => {
    requested.push(String(url));
    const { status = 200, ...body } = answers.shift();
    return Response.json(body, { status });
  },
  document: pageOf(),
  window: { setTimeout: (run, ms) => timers.push({ run, ms }), clearTimeout: (timer) => cleared.push(timer) },
});
beforeEach(() => ([sources, answers, timers, cleared, requested] = [[], [], [], [], []]));
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

function feed(after = 0) {
  const received = { rows: [], states: [], connections: [] };
  const { stop } = createLiveFeed({ live: "/live/", events: "/events/" }, after, {
    onRows: (rows) => received.rows.push(rows.map(({ position }) => position)),
    onState: ({ state }) => received.states.push(state),
    onConnection: (how) => received.connections.push(how),
  });
  return { ...received, stop, source: sources.at(-1) };
}
/** A feed whose connection was refused. */
async function polling(...given) {
  const found = feed(3);
  answers.push(...given);
  found.source.fail({ readyState: Source.CLOSED });
  await settled();
  return found;
}
async function next() {
  timers.at(-1).run();
  await settled();
}

test("timestamps come in their order, each once", () => {
  const { rows, source } = feed(3);
  equal(source.url, "/live/?after=3");
  for (const position of [3, 4, 4, 2, 3, 5]) source.send("message", row(position));
  deepEqual(rows, [[3], [4], [5]]);
});

test("state and connection are reported as they come", () => {
  const { states, connections, source } = feed();
  source.dispatchEvent(new Event("open"));
  source.send("state", { state: "paused" });
  source.send("closed", {});
  deepEqual([states, connections, source.readyState], [["paused"], ["live", "over"], Source.CLOSED]);
  const other = feed();
  other.source.send("gone", {});
  deepEqual(other.connections, ["gone"]);
});

test("a connection that fails is left to the browser twice; the third time requests take its place", async () => {
  const { rows, source } = feed(3);
  answers.push(page({ results: [row(3), row(4)] }), page({ results: [row(4), row(5)] }));
  for (let k = 0; k < 2; k += 1) {
    source.fail();
    source.fail();
    deepEqual([requested, source.readyState], [[], 1], "it is there meanwhile");
    if (!k) source.dispatchEvent(new Event("open"));
  }
  source.fail();
  await settled();
  equal(source.readyState, Source.CLOSED);
  await next();
  deepEqual(requested, ["/events/?after=3", "/events/?after=5"]);
  deepEqual(rows, [[3, 4], [5]]);
});

test("a refused connection is replaced by requests at once and from then on every two seconds", async () => {
  const { connections, states } = await polling(page(), page({ state: "paused" }));
  deepEqual([requested, timers.length, timers[0].ms], [["/events/?after=3"], 1, 2000]);
  await next();
  equal(`${connections} ${states}`, "polling,polling open,paused");
});

test("a stream that is gone or may no longer be read ends the feed; another failure is waited for", async () => {
  for (const status of [403, 404]) {
    const { connections } = await polling({ status, errors: [{ message: "No." }] });
    deepEqual([connections, timers], [["gone"], []], String(status));
  }
  const { connections } = await polling({ status: 500 }, page());
  deepEqual([connections, timers.length], [["lost"], 1]);
  await next();
  deepEqual(connections, ["lost", "polling"]);
});

test("a closed stream is read to its end", async () => {
  const closed = (position) => page({ state: "closed", published: 5, results: [row(position)] });
  const { connections, rows } = await polling(closed(3), closed(4));
  deepEqual([connections, timers.length], [["polling"], 1]);
  await next();
  deepEqual([connections, rows, timers.length], [["polling", "over"], [[3], [4]], 1]);
});

test("a feed that was stopped reports nothing more, whatever is answered", async () => {
  for (const late of [page({ results: [row(3)] }), { status: 404 }, { status: 500 }]) {
    cleared = [];
    const { rows, connections, source, stop } = feed(3);
    answers.push(late);
    source.fail({ readyState: Source.CLOSED });
    stop();
    await settled();
    deepEqual([rows, connections, timers, cleared.length], [[], [], [], 1], String(late.status));
  }
});

const rowsOf = (budgets, first = 0) => budgets.map((budget, i) => ({ position: first + i, budget }));

test("a window holds as many timestamps as it is long, those before the first row among them", () => {
  const sums = (window, earlier = []) => windowSums({ rows: rowsOf([1, 2, 4, 8]), earlier }, window);
  deepEqual([sums(1), sums(2), sums(9)], rows("1 2 4 8, 1 3 6 12, 1 3 7 15"));
  deepEqual([sums(3, [16, 32]), sums(2, [32])], rows("49 35 7 14, 33 3 6 12"));
  ok(windowSums({ rows: rowsOf([0.1, 0.2, 0]), earlier: [] }, 1).every((sum) => sum >= 0));
});

test("however timestamps come, sums are those of all of them", () => {
  const draw = draws(27);
  for (let i = 0; i < 100; i += 1) {
    const all = draw.list(draw.int(2, 60), () => draw.int(0, 9));
    const [window, dimensions] = [draw.int(1, 12), Math.ceil(2_000_000 / draw.int(1, 30))];
    const most = Math.floor(2_000_000 / dimensions);
    let kept = { rows: [], earlier: [] };
    for (let at = 0; at < all.length;) {
      const next = Math.min(all.length, at + draw.int(1, 20));
      kept = withFresh(kept, rowsOf(all.slice(at, next), at), window, dimensions);
      at = next;
    }
    deepEqual(kept.rows, rowsOf(all).slice(-most));
    ok(kept.earlier.length < window);
    const sums = all.map((_, k) => all.slice(Math.max(0, k + 1 - window), k + 1).reduce((sum, one) => sum + one, 0));
    deepEqual(windowSums(kept, window), sums.slice(-most), `${window} of ${all}`);
  }
});

test("at most 2,000 timestamps are kept, of very many dimensions one", () => {
  const kept = (dimensions) => withFresh({ rows: [], earlier: [] }, rowsOf(Array(2001).fill(1)), 2, dimensions);
  deepEqual([kept(1).rows.length, kept(1).rows[0].position, kept(1).earlier], [2000, 1, [1]]);
  deepEqual([kept(1001).rows.length, kept(3_000_000).rows.length], [1998, 1]);
});
