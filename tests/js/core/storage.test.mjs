import { deepEqual, equal, notEqual, ok, rejects } from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, mock, test } from "node:test";

import { takeSlot } from "../../../static/js/components/upload.js";
import * as memory from "../../../static/js/core/form_memory.js";
import * as uploads from "../../../static/js/core/resumable_upload.js";
import { pageOf, serverOf, setGlobals, settled, storageOf } from "../support.mjs";

const { PIECE, unfinishedUploads } = uploads;
/** An upload on the server: what arrived of it. */
let upload = null;
let [faults, retryAfter] = [[], ""];

function answer({ method, headers, body }) {
  if (method === "POST") {
    const [, name] = headers["Upload-Metadata"].split(" ");
    upload = { bytes: new Uint8Array(), length: Number(headers["Upload-Length"]), name };
    return { status: 201, headers: { Location: "https://proxy.example/uploads/u1/" } };
  }
  if (!upload) return { status: 404 };
  const offset = () => ({ status: 204, headers: { "Upload-Offset": String(upload.bytes.length) } });
  if (method === "HEAD") return offset();
  if (method === "DELETE") {
    upload = null;
    return { status: 204 };
  }
  const fault = faults.shift();
  equal(Number(headers["Upload-Offset"]), upload.bytes.length, "a piece begins where the server is");
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
const meta = { content: "", dataset: { userId: "7" } };
setGlobals({
  document: pageOf({ "meta[name=csrf-cookie]": { content: "csrf" }, "meta[name=session]": meta }),
  location: { href: "https://cairn.example/datasets/" },
  localStorage: storageOf(),
  sessionStorage: storageOf(),
  XMLHttpRequest: server.XMLHttpRequest,
});
let waits = [];
beforeEach(() => {
  memory.discardAll();
  [sent.length, upload, faults, waits, retryAfter] = [0, null, [], [], ""];
  for (const key of Object.keys(localStorage)) localStorage.removeItem(key);
  mock.restoreAll();
  mock.method(globalThis, "setTimeout", (run, ms) => {
    waits.push(ms / 1000);
    queueMicrotask(run);
  });
});
/** Let `answered(request, body)` answer uploads. */
const answering = (answered) =>
  mock.method(server.XMLHttpRequest.prototype, "send", function (body) {
    const type = answered(this, body);
    queueMicrotask(() => this.dispatchEvent(new Event(type)));
  });

const BYTES = [...new TextEncoder().encode("time,lat,lon\n1,48.85,2.35\n")];
const send = (file = fileOf(BYTES), options = {}) => uploads.sendInPieces("/uploads/", file, options);
const arrived = () => [...(upload?.bytes ?? [])];

test("a file arrives as it is, with its name, length and checksum", async () => {
  const shares = [];
  const { id, done } = await send(fileOf(BYTES, "Übung.csv"), { onProgress: (share) => shares.push(share) });
  equal(requests(), "POST PATCH");
  deepEqual([id, arrived(), upload.length], ["u1", BYTES, BYTES.length]);
  equal(Buffer.from(upload.name, "base64").toString(), "Übung.csv");
  const { headers, url } = sent[1];
  equal(url, "/uploads/u1/", "on this server, whatever a proxy calls it");
  const hash = createHash("sha256").update(Uint8Array.from(BYTES)).digest("base64");
  deepEqual([headers["Upload-Checksum"], headers["Tus-Resumable"]], [`sha256 ${hash}`, "1.0.0"]);
  deepEqual(shares, [0.25]);
  equal(localStorage.getItem("cairn-upload:Übung.csv:26:5"), "/uploads/u1/");
  done();
  equal(Object.keys(localStorage).length, 0);
});

test("a large file goes in pieces", async () => {
  const arrayBuffer = async () => new ArrayBuffer(0);
  const slice = (from, to) => ({ size: Math.min(to, 2.5 * PIECE) - from, arrayBuffer });
  const sizes = [];
  answering((request, body) => {
    if (body) sizes.push(body.size);
    const offset = sizes.reduce((sum, size) => sum + size, 0);
    const answered = { Location: "/uploads/u2/", "Upload-Offset": String(offset) };
    Object.assign(request, { status: 204, answered });
    return "load";
  });
  await send({ ...fileOf([]), size: 2.5 * PIECE, slice });
  deepEqual(sizes, [PIECE, PIECE, PIECE / 2]);
});

test("after a lost connection it goes on from the byte the server has", async () => {
  faults = [null, 503, null];
  const reported = [];
  await send(fileOf(BYTES), { onWait: (seconds) => reported.push(seconds) });
  deepEqual(arrived(), BYTES);
  equal(requests(), "POST PATCH HEAD PATCH HEAD PATCH HEAD PATCH");
  deepEqual(reported, [1, 2, 4]);
  deepEqual(waits, [1, 2, 4]);
});

test("each wait is longer up to half a minute, as long as the server requests, and after twelve it fails", async () => {
  faults = Array(13).fill(503);
  await rejects(send(), { status: 503 });
  deepEqual(waits, [1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30]);
  [waits, faults, retryAfter, upload] = [[], [429], "7", null];
  await send(fileOf(BYTES, "other.csv"));
  deepEqual(waits, [7]);
});

test("a refusal is final", async () => {
  for (const status of [400, 403, 413, 507]) {
    faults = [status];
    await rejects(send(fileOf(BYTES, `${status}.csv`)), { status });
  }
  deepEqual(waits, []);
});

test("the same file goes on where it was left; one that the server lost begins again", async () => {
  faults = [null, 400];
  await rejects(send());
  const half = arrived().length;
  ok(half > 0 && half < BYTES.length);
  sent.length = 0;
  await send();
  equal(requests(), "HEAD PATCH");
  deepEqual(arrived(), BYTES);
  [sent.length, upload] = [0, null];
  await send();
  equal(requests(), "HEAD POST PATCH");
  deepEqual(arrived(), BYTES);
});

test("another file of the same name does not go on there", () => {
  const file = { name: "a.csv", size: 3, lastModified: 9 };
  const others = [{}, { name: "b.csv" }, { size: 4 }, { lastModified: 8 }];
  equal(new Set(others.map((more) => uploads.keyOf({ ...file, ...more }))).size, 4);
});

test("a cancelled upload is discarded on the server and here", async () => {
  const cancel = new AbortController();
  faults = [503];
  const sending = send(fileOf(BYTES), { signal: cancel.signal, onWait: () => cancel.abort() });
  await rejects(sending, { name: "AbortError" });
  await settled();
  equal(requests(), "POST PATCH DELETE");
  deepEqual([upload, Object.keys(localStorage)], [null, []]);
});

test("uploads that were not finished are listed, those that are gone forgotten", async () => {
  const key = "cairn-upload:a:b.csv:26:5";
  localStorage.setItem(key, "/uploads/u1/");
  localStorage.setItem("theme", "dark");
  upload = { bytes: Uint8Array.of(1, 2, 3), length: 26, name: "" };
  const found = await unfinishedUploads();
  deepEqual(found, [{ key, url: "/uploads/u1/", name: "a:b.csv", size: 26, offset: 3 }]);
  uploads.discardUpload(found[0]);
  await settled();
  deepEqual([upload, Object.keys(localStorage)], [null, ["theme"]]);
  localStorage.setItem("cairn-upload:c.csv:26:5", "/uploads/u1/");
  deepEqual([await unfinishedUploads(), Object.keys(localStorage)], [[], ["theme"]]);
});

test("while the server is away no unfinished upload is forgotten", async () => {
  localStorage.setItem("cairn-upload:c.csv:26:5", "/uploads/u1/");
  answering(() => "error");
  deepEqual([await unfinishedUploads(), Object.keys(localStorage)], [[], ["cairn-upload:c.csv:26:5"]]);
});

test("three upload at once, others wait their turn, and who leaves is passed over", async () => {
  const leave = new AbortController();
  const running = new Map();
  const signals = [1, 2, 3, 4, 5, 6].map((i) => (i === 4 ? leave.signal : new AbortController().signal));
  const all = signals.map((signal, i) => takeSlot(signal).then((free) => running.set(i + 1, free)));
  all[3].catch(() => {});
  await settled();
  deepEqual([...running.keys()], [1, 2, 3]);
  leave.abort();
  await rejects(all[3], { name: "AbortError" });
  running.get(2)();
  await settled();
  deepEqual([...running.keys()], [1, 2, 3, 5]);
  running.get(1)();
  running.get(3)();
  await settled();
  deepEqual([...running.keys()], [1, 2, 3, 5, 6]);
  let [seven, eight] = [false, false];
  takeSlot(new AbortController().signal).then(() => (seven = true));
  takeSlot(new AbortController().signal).then(() => (eight = true));
  await settled();
  deepEqual([seven, eight], [true, false], "5, 6 and 7 are running");
  running.get(5)();
  await settled();
  equal(eight, true);
});

/** A control as a form has it; `within` are the selectors of elements around it. */
function control({ name = "", id = "", type = "text", value = "", within = {}, ...more }) {
  const around = (selector) => {
    const found = selector.split(", ").find((one) => one in within);
    return found ? { dataset: within[found] } : null;
  };
  return Object.assign(new EventTarget(), { name, id, type, value, checked: false, closest: around, ...more });
}
/** A form of controls, to which more may come. */
const formOf = (controls) => ({ controls, querySelectorAll: () => controls });

function sample() {
  return formOf([
    control({ name: "text", value: "1" }),
    control({ name: "twice", value: "a" }),
    control({ name: "twice", value: "b" }),
    control({ id: "field-level-17", value: "2", within: { "[data-field]": { field: "level" } } }),
    control({ id: "number-12", value: "3" }),
    control({ name: "way", type: "radio", value: "near", checked: true }),
    control({ name: "way", type: "radio", value: "far" }),
    control({ name: "more", type: "checkbox", value: "x" }),
    ...["password", "hidden", "file", "range", "submit"].map((type) => control({ name: type, type, value: "hush" })),
    control({ name: "series", value: "7", within: { "[data-unkept]": {} } }),
    control({ name: "inside", value: "7", within: { dialog: {} } }),
    control({ name: "fixed", value: "8", readOnly: true }),
    control({ value: "nameless" }),
    control({ name: "sort", type: "select-one", value: "up" }),
  ]);
}
const VALUES = {
  ...{ text: "1", twice: "a", "twice 1": "b", level: "2", number: "3" },
  ...{ "way=near": true, "way=far": false, "more=x": false, sort: "up" },
};

test("values of every kind of control, none of what is secret, fixed or not a field of the form", () => {
  deepEqual(memory.valuesIn(sample()), VALUES);
});

test("what is put in is as if it were typed, also into a control that another one makes", () => {
  const form = sample();
  const events = [];
  for (const one of form.controls)
    for (const type of ["input", "change"])
      one.addEventListener(type, ({ bubbles }) => bubbles && events.push(`${one.name} ${one.value} ${type}`));
  const far = form.controls.find(({ value }) => value === "far");
  far.addEventListener("change", () => form.controls.push(control({ name: "reach" })));
  const changed = {
    ...{ text: "1,5", "twice 1": "c", "way=near": false, "way=far": true, "more=x": true },
    ...{ sort: "down", reach: "30" },
  };
  memory.putValues(form, { ...VALUES, ...changed, gone: "?" });
  form.controls.find(({ value }) => value === "near").checked = false; // as a browser does
  deepEqual(memory.valuesIn(form), { ...VALUES, ...changed });
  const typed = ["text 1,5", "twice c", "way far", "more x", "sort down"];
  deepEqual(events, [...typed.flatMap((one) => [`${one} input`, `${one} change`])]);
});

test("a control that refuses a value is set once", () => {
  const stubborn = control({ name: "a", value: "old" });
  let tries = 0;
  stubborn.addEventListener("change", () => ((tries += 1), (stubborn.value = "old")));
  memory.putValues(formOf([stubborn]), { a: "new" });
  deepEqual([tries, stubborn.value], [1, "old"]);
});

test("a parameter that the address newly has goes before what was typed", () => {
  const kept = { values: VALUES, more: null, search: "?way=near" };
  deepEqual(memory.valuesFor(kept, "?way=near"), VALUES);
  equal(Object.keys(memory.valuesFor(kept, "?way=far&text=2&twice=3")).join(), "level,number,more=x,sort");
});

test("what is kept is read again, by its user and page alone", () => {
  const kept = { values: { a: "1" }, more: { rows: 2 }, search: "?b" };
  const key = memory.keyOf("/new/");
  equal(memory.write(key, kept), true);
  deepEqual(memory.read(key), kept);
  equal(memory.read(memory.keyOf("/other/")), null);
  meta.dataset.userId = "8";
  notEqual(memory.keyOf("/new/"), key);
  equal(memory.read(memory.keyOf("/new/")), null);
  memory.discard(key);
  equal(memory.read(key), null);
});

test("what another version kept, or none, is nothing", () => {
  for (const text of ["{", "null", '"text"', "{}", '{"values": "a"}']) {
    sessionStorage.setItem("cairn:form:x", text);
    equal(memory.read("cairn:form:x"), null, text);
  }
  sessionStorage.setItem("cairn:form:x", '{"values": {"a": "1"}}');
  deepEqual(memory.read("cairn:form:x"), { values: { a: "1" }, more: null, search: "" });
});

test("a logout discards the forms and nothing else; where the storage is full, what is older goes too", () => {
  const kept = { values: {}, more: null, search: "" };
  memory.write(memory.keyOf("/a/"), kept);
  sessionStorage.setItem("other", "1");
  memory.discardAll();
  deepEqual(Object.keys(sessionStorage), ["other"]);
  memory.write("cairn:form:x", kept);
  mock.method(Object.getPrototypeOf(sessionStorage), "setItem", () => {
    throw new DOMException("full", "QuotaExceededError");
  });
  deepEqual([memory.write("cairn:form:x", kept), memory.read("cairn:form:x")], [false, null]);
});
