import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, mock, test } from "node:test";

import {
  discardUpload,
  keyOf,
  PIECE,
  sendInPieces,
  unfinishedUploads,
} from "../../../static/js/core/resumable_upload.js";
import { pageOf, serverOf, setGlobals, settled, storageOf } from "../support.mjs";

/** An upload on the server: what arrived of it. */
let upload = null;
let faults = [];
let retryAfter = "";

function answer({ method, headers, body }) {
  if (method === "POST") {
    const [, name] = headers["Upload-Metadata"].split(" ");
    upload = { bytes: new Uint8Array(), length: Number(headers["Upload-Length"]), name };
    return { status: 201, headers: { Location: "https://proxy.example/uploads/u1/" } };
  }
  if (!upload) return { status: 404 };
  const offset = (more = {}) => ({ status: 204, headers: { "Upload-Offset": String(upload?.bytes.length), ...more } });
  if (method === "HEAD") return offset();
  if (method === "DELETE") {
    upload = null;
    return { status: 204 };
  }
  const fault = faults.shift();
  assert.equal(Number(headers["Upload-Offset"]), upload.bytes.length, "a piece begins where the server is");
  if (fault) return { status: fault, headers: { "Retry-After": retryAfter } };
  const arrived = fault === null ? body.slice(0, body.size / 2) : body;
  upload.bytes = new Uint8Array([...upload.bytes, ...arrived.read]);
  return fault === null ? new Error("lost") : offset();
}

/** A file whose pieces can be read at once. */
function fileOf(bytes, name = "taxi.csv") {
  const slice = (from, to) => ({
    size: Math.min(to, bytes.length) - from,
    read: bytes.slice(from, to),
    arrayBuffer: async () => Uint8Array.from(bytes.slice(from, to)).buffer,
    slice: (a, b) => slice(from + a, Math.min(to, from + b)),
  });
  return { ...slice(0, bytes.length), name, lastModified: 5 };
}

const server = serverOf(answer);
const { sent } = server;
const requests = () => sent.map(({ method }) => method).join(" ");
setGlobals({
  document: pageOf({ "meta[name=csrf-cookie]": { content: "csrf" }, "meta[name=session]": { content: "" } }),
  location: { href: "https://cairn.example/datasets/" },
  localStorage: storageOf(),
  XMLHttpRequest: server.XMLHttpRequest,
});
let waits = [];
beforeEach(() => {
  [sent.length, upload, faults, waits, retryAfter] = [0, null, [], [], ""];
  for (const key of Object.keys(localStorage)) localStorage.removeItem(key);
  mock.restoreAll();
  mock.method(globalThis, "setTimeout", (run, ms) => {
    waits.push(ms / 1000);
    queueMicrotask(run);
  });
});

const BYTES = [...new TextEncoder().encode("time,lat,lon\n1,48.85,2.35\n")];
const send = (file = fileOf(BYTES), options = {}) => sendInPieces("/uploads/", file, options);
const arrived = () => [...(upload?.bytes ?? [])];

test("a file arrives as it is, with its name, length and checksum", async () => {
  const shares = [];
  const { id, done } = await send(fileOf(BYTES, "Übung.csv"), { onProgress: (share) => shares.push(share) });
  assert.equal(requests(), "POST PATCH");
  assert.deepEqual([id, arrived(), upload?.length], ["u1", BYTES, BYTES.length]);
  assert.equal(
    new TextDecoder().decode(Uint8Array.from(atob(upload?.name ?? ""), (one) => one.charCodeAt(0))),
    "Übung.csv",
  );
  const { headers, url } = sent[1];
  assert.equal(url, "/uploads/u1/", "on this server, whatever a proxy calls it");
  const hash = createHash("sha256").update(Uint8Array.from(BYTES)).digest("base64");
  assert.deepEqual([headers["Upload-Checksum"], headers["Tus-Resumable"]], [`sha256 ${hash}`, "1.0.0"]);
  assert.deepEqual(shares, [0.25]);
  assert.equal(localStorage.getItem("cairn-upload:Übung.csv:26:5"), "/uploads/u1/");
  done();
  assert.equal(Object.keys(localStorage).length, 0);
});

test("a large file goes in pieces", async () => {
  const file = {
    ...fileOf([]),
    size: 2.5 * PIECE,
    slice: (from, to) => ({
      size: Math.min(to, 2.5 * PIECE) - from,
      read: [],
      arrayBuffer: async () => new ArrayBuffer(0),
    }),
  };
  const sizes = [];
  upload = null;
  mock.method(server.XMLHttpRequest.prototype, "send", function (body) {
    const request = this;
    if (body) sizes.push(body.size);
    const offset = sizes.reduce((sum, size) => sum + size, 0);
    Object.assign(request, { status: 204, answered: { Location: "/uploads/u2/", "Upload-Offset": String(offset) } });
    queueMicrotask(() => request.dispatchEvent(new Event("load")));
  });
  await send(file);
  assert.deepEqual(sizes, [PIECE, PIECE, PIECE / 2]);
});

test("after a lost connection it goes on from the byte the server has", async () => {
  faults = [null, 503, null];
  const reported = [];
  await send(fileOf(BYTES), { onWait: (seconds) => reported.push(seconds) });
  assert.deepEqual(arrived(), BYTES);
  assert.equal(requests(), "POST PATCH HEAD PATCH HEAD PATCH HEAD PATCH");
  assert.deepEqual(
    [reported, waits],
    [
      [1, 2, 4],
      [1, 2, 4],
    ],
  );
});

test("each wait is longer up to half a minute, as long as the server requests, and after twelve it fails", async () => {
  faults = Array(13).fill(503);
  const error = await send().catch((one) => one);
  assert.equal(error.status, 503);
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30]);
  [waits, faults, retryAfter, upload] = [[], [429], "7", null];
  await send(fileOf(BYTES, "other.csv"));
  assert.deepEqual(waits, [7]);
});

test("a refusal is final", async () => {
  for (const status of [400, 403, 413, 507]) {
    faults = [status];
    assert.equal((await send(fileOf(BYTES, `${status}.csv`)).catch((one) => one)).status, status);
  }
  assert.deepEqual(waits, []);
});

test("the same file goes on where it was left; one that the server lost begins again", async () => {
  faults = [null, 400];
  await assert.rejects(send());
  const half = arrived().length;
  assert.ok(half > 0 && half < BYTES.length);
  sent.length = 0;
  await send();
  assert.equal(requests(), "HEAD PATCH");
  assert.deepEqual(arrived(), BYTES);
  [sent.length, upload] = [0, null];
  await send();
  assert.equal(requests(), "HEAD POST PATCH");
  assert.deepEqual(arrived(), BYTES);
});

test("another file of the same name does not go on there", () => {
  const file = { name: "a.csv", size: 3, lastModified: 9 };
  const keys = [file, { ...file, name: "b.csv" }, { ...file, size: 4 }, { ...file, lastModified: 8 }].map((one) =>
    keyOf(one),
  );
  assert.equal(new Set(keys).size, 4);
});

test("a cancelled upload is discarded on the server and here", async () => {
  const cancel = new AbortController();
  faults = [503];
  const sending = send(fileOf(BYTES), { signal: cancel.signal, onWait: () => cancel.abort() });
  await assert.rejects(sending, { name: "AbortError" });
  await settled();
  assert.equal(requests(), "POST PATCH DELETE");
  assert.deepEqual([upload, Object.keys(localStorage)], [null, []]);
});

test("uploads that were not finished are listed, those that are gone forgotten", async () => {
  localStorage.setItem("cairn-upload:a:b.csv:26:5", "/uploads/u1/");
  localStorage.setItem("theme", "dark");
  upload = { bytes: Uint8Array.of(1, 2, 3), length: 26, name: "" };
  const [found, ...others] = await unfinishedUploads();
  assert.deepEqual(others, []);
  assert.deepEqual(found, {
    key: "cairn-upload:a:b.csv:26:5",
    url: "/uploads/u1/",
    name: "a:b.csv",
    size: 26,
    offset: 3,
  });
  discardUpload(found);
  await settled();
  assert.deepEqual([upload, Object.keys(localStorage)], [null, ["theme"]]);
  localStorage.setItem("cairn-upload:c.csv:26:5", "/uploads/u1/");
  assert.deepEqual(await unfinishedUploads(), []);
  assert.deepEqual(Object.keys(localStorage), ["theme"]);
});

test("while the server is away no unfinished upload is forgotten", async () => {
  localStorage.setItem("cairn-upload:c.csv:26:5", "/uploads/u1/");
  mock.method(server.XMLHttpRequest.prototype, "send", function () {
    const request = this;
    queueMicrotask(() => request.dispatchEvent(new Event("error")));
  });
  assert.deepEqual(await unfinishedUploads(), []);
  assert.deepEqual(Object.keys(localStorage), ["cairn-upload:c.csv:26:5"]);
});
