import assert from "node:assert/strict";
import { test } from "node:test";

import { setElements } from "../../elements.mjs";

setElements();
const { controls } = await import("../../../../static/js/trajectory/landmark_editor/schedule_fields.js");

const changes = [];
const field = { name: "windows", label: "Windows", help: "" };
const windows = () => controls.windows(field, (step) => changes.push(step));
const days = (...names) => names;
const groups = ({ element }) =>
  element.all("div").filter((one) => one.attributes.role === "group" && one.attributes["aria-label"] !== "Days");
const button = (root, name) =>
  root.all("button").find((one) => [one.textContent, one.attributes["aria-label"]].includes(name));

test("windows are given back as they were set; at first every night", () => {
  const form = windows();
  const night = form.value();
  assert.deepEqual(night, [
    { days: days("mon", "tue", "wed", "thu", "fri", "sat", "sun"), start: "22:00", end: "06:00" },
  ]);
  const set = [
    { days: days("mon", "fri"), start: "09:00", end: "17:30" },
    { days: days("sun"), start: "00:00", end: "24:00" },
    { days: days(), start: "", end: "x" },
  ];
  form.set(set);
  assert.deepEqual(form.value(), set);
  form.set(null);
  assert.deepEqual(form.value(), night);
});

test("an hour of one digit gets its zero, other texts stay as typed", () => {
  const form = windows();
  const ends = (start, end) => {
    form.set([{ days: days("mon"), start, end }]);
    return [form.value()[0].start, form.value()[0].end];
  };
  assert.deepEqual(ends(" 9:05 ", "0:00"), ["09:05", "00:00"]);
  assert.deepEqual(ends("12:30", "25:99"), ["12:30", "25:99"]);
  assert.deepEqual(ends("123:4", "9"), ["123:4", "9"]);
});

test("a day is pressed and released; the whole day takes the place of its times", () => {
  const form = windows();
  form.set([{ days: days("tue"), start: "08:00", end: "09:00" }]);
  changes.length = 0;
  button(form.element, "Monday").emit("click");
  button(form.element, "Tuesday").emit("click");
  assert.deepEqual(form.value()[0].days, ["mon"]);
  const box = form.element.all("input").find((one) => one.attributes.type === "checkbox");
  box.checked = true;
  box.emit("input");
  assert.deepEqual(form.value()[0], { days: ["mon"], start: "00:00", end: "24:00" });
  assert.deepEqual(changes, ["windows", "windows", "windows"]);
});

test("a window that does not end later on its day ends on the next", () => {
  const form = windows();
  const next = (start, end) => {
    form.set([{ days: days("mon"), start, end }]);
    return form.element.textContent.includes("next day");
  };
  assert.deepEqual([next("22:00", "06:00"), next("08:00", "08:00"), next("08:00", "17:00")], [true, true, false]);
  assert.deepEqual([next("9:00", "17:00"), next("", "06:00")], [false, false]);
});

test("another window begins as the last one; one always stays", () => {
  const form = windows();
  form.set([
    { days: days("mon"), start: "10:00", end: "11:00" },
    { days: days("tue"), start: "12:00", end: "13:00" },
  ]);
  changes.length = 0;
  button(form.element, "Add a window").emit("click");
  assert.deepEqual(form.value()[2], { days: ["tue"], start: "12:00", end: "13:00" });
  button(form.element, "Remove window 2").emit("click");
  assert.deepEqual(
    form.value().map((one) => one.start),
    ["10:00", "12:00"],
  );
  button(groups(form)[0], "Remove window 1").emit("click");
  assert.deepEqual(changes, ["windows added", "windows removed", "windows removed"]);
  assert.equal(button(groups(form)[2], "Remove window 1").hidden, true);
});

test("a date that is not given is left out", () => {
  const date = controls.date({ name: "first", label: "First day", help: "" }, () => {});
  date.set("2024-02-29");
  assert.equal(date.value(), "2024-02-29");
  date.set(undefined);
  assert.equal(date.value(), undefined);
});
