/* Form controls of a schedule: windows of the week, a time zone, a date. */

import { el } from "../../core/dom.js";
import { errorPlace, showText, smallButton } from "../../core/elements.js";
import { frame } from "../../components/form_fields.js";

const NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const EVERY_DAY = NAMES.map((name) => name.slice(0, 3).toLowerCase());
const NIGHT = { days: EVERY_DAY, start: "22:00", end: "06:00" };
const WHOLE_DAY = { start: "00:00", end: "24:00" };

/** By the name that a field's `control` has. */
export const controls = { windows: windowsField, "time-zone": timeZoneField, date: dateField };

let ids = 0;

function windowsField(field, onChange) {
  const id = `windows-${(ids += 1)}`;
  const rows = el("div", { class: "stack" });
  const add = smallButton("Add a window", null, () => {
    put(windows.at(-1)?.value() ?? NIGHT);
    windows.at(-1).focus();
    changed(`${field.name} added`);
  });
  const help = el("p", { class: "field__help", id: `${id}-help` }, field.help);
  const error = errorPlace({ id: `${id}-error` });
  const described = { class: "field schedule", "aria-describedby": `${id}-help ${id}-error` };
  const parts = [el("legend", {}, field.label), rows, el("div", {}, add), help, error];
  const element = el("fieldset", { ...described, dataset: { field: field.name } }, parts);
  /** @type {any[]} */
  let windows = [];
  const fail = (message) => showText(error, message);
  const changed = (step) => {
    fail("");
    onChange(step);
  };
  const set = (values) => {
    windows = [];
    rows.replaceChildren();
    (values ?? [NIGHT]).forEach(put);
  };
  function put(value) {
    const one = windowRow(value, { changed: () => changed(field.name), remove: () => remove(one) });
    windows.push(one);
    rows.append(one.element);
    number();
  }
  function remove(one) {
    windows = windows.filter((other) => other !== one);
    one.element.remove();
    number();
    add.focus();
    changed(`${field.name} removed`);
  }
  function number() {
    windows.forEach((one, i) => one.number(i + 1, windows.length));
  }
  set(null);
  return { field, element, fail, set, value: () => windows.map((one) => one.value()) };
}

/** One window: which days, whether all day, from when to when. */
function windowRow({ days, start, end }, { changed, remove }) {
  const dayButton = (name, i) => {
    const day = EVERY_DAY[i];
    const pressed = { "aria-pressed": String(days.includes(day)), onclick: () => press(button) };
    const button = el("button", { type: "button", "aria-label": name, dataset: { day }, ...pressed }, name.slice(0, 2));
    return button;
  };
  const buttons = NAMES.map(dayButton);
  // no input of type time: it writes 12 hours and AM or PM in some places, and has no 24:00
  const typed = { type: "text", class: "input", inputmode: "numeric", autocomplete: "off", maxlength: "5" };
  const time = (label, value) => el("input", { ...typed, placeholder: "22:00", "aria-label": label, value });
  const [from, to] = [time("From", start), time("To", end)];
  const allDay = el("input", { type: "checkbox", checked: start === WHOLE_DAY.start && end === WHOLE_DAY.end });
  const next = el("span", { class: "small muted" });
  const drop = smallButton("Remove", null, remove);
  const times = el("span", { class: "schedule__times line" }, from, el("span", {}, "to"), to, next);
  const whole = el("label", { class: "small" }, allDay, " All day");
  const week = el("div", { class: "segmented segmented--days", role: "group", "aria-label": "Days" }, buttons);
  const row = el("div", { class: "row apart" }, times, whole, drop);
  const element = el("div", { class: "schedule__window stack gap-2", role: "group" }, week, row);
  const value = () => ({
    days: buttons
      .filter((button) => button.getAttribute("aria-pressed") === "true")
      .map((button) => button.dataset.day),
    ...(allDay.checked ? WHOLE_DAY : { start: padded(from.value), end: padded(to.value) }),
  });
  const show = () => {
    const { start: first, end: last } = value();
    times.hidden = allDay.checked;
    next.textContent = first && last && last <= first ? "next day" : "";
  };
  const change = () => {
    show();
    changed();
  };
  function press(button) {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    change();
  }
  [from, to, allDay].forEach((input) => input.addEventListener("input", change));
  show();
  return {
    element,
    value,
    focus: () => buttons[0].focus(),
    number(i, of) {
      element.setAttribute("aria-label", `Window ${i}`);
      drop.setAttribute("aria-label", `Remove window ${i}`);
      drop.hidden = of === 1;
    },
  };
}

/** 9:00 as 09:00; anything else as it was typed. */
const padded = (text) => text.trim().replace(/^(\d):/, "0$1:");

/** The browser's own time zone until another is typed; the names it has are offered. */
function timeZoneField(field, onChange) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
  const zones = (Intl.supportedValuesOf?.("timeZone") ?? []).map((value) => el("option", { value }));
  const list = el("datalist", { id: `time-zones-${(ids += 1)}` }, zones);
  const typed = { class: "input", type: "text", required: true, autocomplete: "off", spellcheck: "false" };
  const input = el("input", { ...typed, list: list.id, value: own });
  const { element, fail } = framed(field, [input, list], input, onChange);
  return { field, element, fail, value: () => input.value.trim(), set: (value) => (input.value = value ?? own) };
}

function dateField(field, onChange) {
  const input = el("input", { class: "input", type: "date" });
  const { element, fail } = framed(field, input, input, onChange);
  return { field, element, fail, value: () => input.value || undefined, set: (value) => (input.value = value ?? "") };
}

/** `frame`, with the error gone and `onChange` called once something is typed. */
function framed(field, inputs, input, onChange) {
  const made = frame(field, inputs, input, null);
  input.addEventListener("input", () => {
    made.fail("");
    onChange(field.name);
  });
  return made;
}
