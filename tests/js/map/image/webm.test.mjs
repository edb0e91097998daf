import assert from "node:assert/strict";
import { test } from "node:test";

import { webm } from "../../../../static/js/map/image/webm.js";

/** Elements that have elements, by their numbers in RFC 9559. */
const MASTERS = new Set([
  0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0x1c53bb6b, 0xbb, 0xb7, 0x1f43b675,
]);

/** The elements of a file or element, by RFC 8794. */
function elementsOf(bytes, from = 0) {
  const found = [];
  for (let at = 0; at < bytes.length;) {
    const began = at;
    const width = (first) => Math.clz32(first) - 23;
    const idBytes = width(bytes[at]);
    const id = bytes.slice(at, at + idBytes).reduce((sum, byte) => sum * 256 + byte, 0);
    at += idBytes;
    const sizeBytes = width(bytes[at]);
    const [first, ...rest] = bytes.slice(at, at + sizeBytes);
    const size = rest.reduce((sum, byte) => sum * 256 + byte, first - 2 ** (8 - sizeBytes));
    at += sizeBytes;
    const data = bytes.slice(at, at + size);
    assert.equal(data.length, size, "an element ends within the one around it");
    found.push({ id, at: from + began, data, inside: MASTERS.has(id) ? elementsOf(data, from + at) : [] });
    at += size;
  }
  return found;
}
const all = (elements, ...path) =>
  path.reduce(
    (found, id) => found.flatMap(({ inside }) => inside).filter((one) => one.id === id),
    [{ inside: elements }],
  );
const numberIn = ({ data }) => data.reduce((sum, byte) => sum * 256 + byte, 0);
const textIn = ({ data }) => new TextDecoder().decode(data);

const FRAMES = [0, 40, 1000, 40_000, 40_300].map((time_ms, i) => ({
  time_ms,
  isKey: i === 0 || i === 3,
  data: Uint8Array.from({ length: 10 + i }, (_, k) => k + i),
}));
const VIDEO = { codec: "V_VP9", width: 1280, height: 300, duration_ms: 40_340, title: "Größe" };
const bytesOf = (frames = FRAMES, video = VIDEO) => Uint8Array.from(webm(frames, video).flatMap((part) => [...part]));
const [EBML, SEGMENT, INFO, TRACK, CUES, CLUSTER] = [
  0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b, 0x1c53bb6b, 0x1f43b675,
];

test("a file has a head, a segment and nothing else", () => {
  const file = elementsOf(bytesOf());
  assert.deepEqual(
    file.map(({ id }) => id),
    [EBML, SEGMENT],
  );
  assert.equal(textIn(all(file, EBML, 0x4282)[0]), "webm");
  assert.deepEqual(
    [0x4286, 0x42f7, 0x42f2, 0x42f3].map((id) => numberIn(all(file, EBML, id)[0])),
    [1, 1, 4, 8],
  );
});

test("the track has the codec and the size, the file its length and title", () => {
  const file = elementsOf(bytesOf());
  const video = [SEGMENT, TRACK, 0xae];
  assert.equal(textIn(all(file, ...video, 0x86)[0]), "V_VP9");
  const numbers = [0xd7, 0x73c5, 0x83, 0x9c].map((id) => numberIn(all(file, ...video, id)[0]));
  assert.equal(String(numbers), "1,1,1,0", "number and UID of the track, a video, without lacing");
  assert.deepEqual(
    [0xb0, 0xba].map((id) => numberIn(all(file, ...video, 0xe0, id)[0])),
    [1280, 300],
  );
  const { data } = all(file, SEGMENT, INFO, 0x4489)[0];
  assert.equal(new DataView(data.buffer, data.byteOffset).getFloat64(0), 40_340);
  assert.equal(numberIn(all(file, SEGMENT, INFO, 0x2ad7b1)[0]), 1e6, "times are in milliseconds");
  assert.equal(textIn(all(file, SEGMENT, INFO, 0x7ba9)[0]), "Größe");
});

test("frames come back with their times, marks and bytes, a cluster for each key frame", () => {
  const file = elementsOf(bytesOf());
  const clusters = all(file, SEGMENT, CLUSTER);
  assert.equal(clusters.length, 2);
  const frames = clusters.flatMap((one) => {
    const began = numberIn(one.inside[0]);
    return one.inside
      .filter(({ id }) => id === 0xa3)
      .map(({ data }) => {
        assert.equal(data[0], 0x81, "track 1");
        return {
          time_ms: began + new DataView(data.buffer, data.byteOffset).getInt16(1),
          isKey: data[3] === 0x80,
          data: data.slice(4),
        };
      });
  });
  assert.deepEqual(frames, FRAMES);
});

test("cues lead to the clusters, so that a reader can seek", () => {
  const bytes = bytesOf();
  const file = elementsOf(bytes);
  const segment = file[1];
  const from = segment.at + bytes.slice(segment.at).length - segment.data.length;
  const cues = all(file, SEGMENT, CUES, 0xbb).map((one) => [
    numberIn(one.inside[0]),
    numberIn(one.inside[1].inside[1]),
  ]);
  const places = all(file, SEGMENT, CLUSTER).map(({ at }) => at - from);
  assert.deepEqual(cues, [
    [0, places[0]],
    [40_000, places[1]],
  ]);
});

test("a lone frame of 255 bytes and a long file", () => {
  const one = [{ time_ms: 0, isKey: true, data: new Uint8Array(255) }];
  assert.equal(all(elementsOf(bytesOf(one)), SEGMENT, CLUSTER, 0xa3)[0].data.length, 259);
  const many = Array.from({ length: 300 }, (_, i) => ({
    time_ms: 1000 * i,
    isKey: i % 30 === 0,
    data: new Uint8Array(300),
  }));
  assert.equal(all(elementsOf(bytesOf(many)), SEGMENT, CLUSTER, 0xa3).length, 300);
});

test("the same frames give the same file", () => {
  assert.deepEqual(bytesOf(), bytesOf());
});
