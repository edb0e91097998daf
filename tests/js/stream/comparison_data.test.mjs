import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { createComparisonData } from "../../../static/js/stream/comparison_data.js";
import { pageOf, setGlobals } from "../support.mjs";

const requested = [];
const refused = new Set();
const COUNTS = { "/truth": [0, 1, 4, 20], "/a/map": [1, 2, 5, 30], "/b/map": [0, 0, 0, 0] };
const JSONS = {
  "/a/comparison": { most_spent: 1 },
  "/b/comparison": { most_spent: 2 },
  "/a/grouping?dimension=1": { grouping: { group_size: [1] } },
  "/b/grouping?dimension=1": { grouping: null },
};
function encoded(values) {
  const view = new DataView(new ArrayBuffer(24 + 8 * values.length));
  [0x544d4843, 2, 0, 2, 2].forEach((value, i) => view.setUint32(4 * i, value, true));
  values.forEach((value, i) => view.setFloat64(24 + 8 * i, value, true));
  return view.buffer;
}
async function fetched(given) {
  const url = String(given);
  requested.push(url);
  if (refused.delete(url)) return new Response("{}", { status: 500 });
  return COUNTS[url] ? new Response(encoded(COUNTS[url])) : Response.json(JSONS[url]);
}
setGlobals({ fetch: fetched, document: pageOf() });
const release = (id) => ({
  ...{ id, title: id.toUpperCase(), brief: `${id}!`, style: { colour: `--${id}`, width: 9 } },
  urls: { heat_map: `/${id}/map`, comparison: `/${id}/comparison`, grouping: `/${id}/grouping` },
});
const releases = [release("a"), release("b")];
const made = () => createComparisonData({ truth: "/truth", releases, axis: null });
beforeEach(() => void requested.splice(0));

test("each is requested once, whoever needs it", async () => {
  const known = made();
  await Promise.all([known.load("a"), known.load("a"), known.load("b")]);
  await known.load("a");
  assert.deepEqual(requested.sort(), ["/a/comparison", "/a/map", "/b/comparison", "/b/map", "/truth"]);
  assert.deepEqual([...(known.cells("a")?.values ?? [])], [1, 2, 5, 30]);
  assert.equal(known.comparisonOf("b")?.most_spent, 2);
});

test("what failed is requested again", async () => {
  refused.add("/a/map");
  const known = made();
  await assert.rejects(known.load("a"));
  await known.load("a");
  assert.equal(requested.filter((url) => url === "/a/map").length, 2);
  assert.ok(known.cells("a"));
});

test("truth, release and difference, each of its release", async () => {
  const known = made();
  const values = (view, id) => [...(known.cellsOf(view, id)?.values ?? [])];
  assert.deepEqual([values("truth", "a"), values("difference", "a")], [[], []]);
  await Promise.all([known.load("a"), known.load("b")]);
  assert.deepEqual(values("truth", "b"), [0, 1, 4, 20]);
  assert.deepEqual(values("release", "b"), [0, 0, 0, 0]);
  assert.deepEqual(values("difference", "a"), [1, 1, 1, 10]);
  assert.deepEqual(values("difference", "b"), [0, -1, -4, -20]);
  assert.equal(known.cellsOf("difference", "b"), known.cellsOf("difference", "b"));
});

test("the largest and the typical count are those of the upload", async () => {
  const known = made();
  assert.deepEqual([known.largest(), known.typicalCount()], [1, 1]);
  await known.load("a");
  assert.deepEqual([known.largest(), known.typicalCount()], [20, 8]);
});

test("visible releases are loaded ones, the shown one first", async () => {
  const known = made();
  const ids = (shown, ...visible) => known.visibleReleases({ shown, visible: new Set(visible) }).map(({ id }) => id);
  await known.load("a");
  assert.deepEqual(ids(releases[1], "a", "b"), ["a"]);
  await known.load("b");
  assert.deepEqual(ids(releases[1], "a", "b"), ["b", "a"]);
  assert.deepEqual(ids(releases[1], "a"), ["a"]);
  assert.deepEqual(
    known.linesOf([releases[1]]).map(({ id, name, style }) => [id, name, style.width]),
    [["b", "B", 2]],
  );
  assert.deepEqual([...known.lineOfTruth().row(1)], [4, 20]);
});

test("groupings of those that report one, requested once", async () => {
  const known = made();
  refused.add("/b/grouping?dimension=1");
  await assert.rejects(known.groupings(releases, 1));
  requested.length = 0;
  await known.groupings(releases, 1);
  assert.deepEqual(requested, ["/b/grouping?dimension=1"], "what failed");
  for (let i = 0; i < 2; i += 1)
    assert.deepEqual(await known.groupings(releases, 1), [{ name: "a!", colour: "--a", id: "a", group_size: [1] }]);
  assert.equal(requested.length, 1);
});
