import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import * as memory from "../../../static/js/core/form_memory.js";
import { pageOf, setGlobals, storageOf } from "../support.mjs";

const meta = { dataset: { userId: "7" } };
setGlobals({ document: pageOf({ "meta[name=session]": meta }), sessionStorage: storageOf() });
beforeEach(() => memory.discardAll());

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
  assert.deepEqual(memory.valuesIn(sample()), VALUES);
});

test("what is put in is as if it were typed, also into a control that another one makes", () => {
  const form = sample();
  const events = [];
  for (const one of form.controls)
    for (const type of ["input", "change"])
      one.addEventListener(type, () => events.push(`${one.name} ${one.value} ${type}`));
  const far = form.controls.find(({ value }) => value === "far");
  far.addEventListener("change", () => form.controls.push(control({ name: "reach" })));
  const changed = {
    text: "1,5",
    "twice 1": "c",
    "way=near": false,
    "way=far": true,
    "more=x": true,
    sort: "down",
    reach: "30",
  };
  memory.putValues(form, { ...VALUES, ...changed, gone: "?" });
  form.controls.find(({ value }) => value === "near").checked = false; // as a browser does
  assert.deepEqual(memory.valuesIn(form), { ...VALUES, ...changed });
  assert.deepEqual(events, [
    ...["text 1,5", "twice c", "way far", "more x", "sort down"].flatMap((one) => [`${one} input`, `${one} change`]),
  ]);
});

test("a control that refuses a value is set once", () => {
  const stubborn = control({ name: "a", value: "old" });
  let tries = 0;
  stubborn.addEventListener("change", () => ((tries += 1), (stubborn.value = "old")));
  memory.putValues(formOf([stubborn]), { a: "new" });
  assert.deepEqual([tries, stubborn.value], [1, "old"]);
});

test("a parameter that the address newly has goes before what was typed", () => {
  const kept = { values: VALUES, more: null, search: "?way=near" };
  assert.deepEqual(memory.valuesFor(kept, "?way=near"), VALUES);
  assert.deepEqual(Object.keys(memory.valuesFor(kept, "?way=far&text=2&twice=3")), [
    "level",
    "number",
    "more=x",
    "sort",
  ]);
});

test("what is kept is read again, by its user and page alone", () => {
  const kept = { values: { a: "1" }, more: { rows: 2 }, search: "?b" };
  const key = memory.keyOf("/new/");
  assert.equal(memory.write(key, kept), true);
  assert.deepEqual(memory.read(key), kept);
  assert.equal(memory.read(memory.keyOf("/other/")), null);
  meta.dataset.userId = "8";
  assert.notEqual(memory.keyOf("/new/"), key);
  assert.equal(memory.read(memory.keyOf("/new/")), null);
  memory.discard(key);
  assert.equal(memory.read(key), null);
});

test("what another version kept, or none, is nothing", () => {
  for (const text of ["{", "null", '"text"', "{}", '{"values": "a"}']) {
    sessionStorage.setItem("cairn:form:x", text);
    assert.equal(memory.read("cairn:form:x"), null, text);
  }
  sessionStorage.setItem("cairn:form:x", '{"values": {"a": "1"}}');
  assert.deepEqual(memory.read("cairn:form:x"), { values: { a: "1" }, more: null, search: "" });
});

test("where the storage is full, what is older goes too", (t) => {
  const kept = { values: {}, more: null, search: "" };
  memory.write("cairn:form:x", kept);
  t.mock.method(Object.getPrototypeOf(sessionStorage), "setItem", () => {
    throw new DOMException("full", "QuotaExceededError");
  });
  assert.equal(memory.write("cairn:form:x", kept), false);
  assert.equal(memory.read("cairn:form:x"), null);
});

test("a logout discards the forms and nothing else", () => {
  memory.write(memory.keyOf("/a/"), { values: {}, more: null, search: "" });
  sessionStorage.setItem("other", "1");
  memory.discardAll();
  assert.deepEqual(Object.keys(sessionStorage), ["other"]);
});
