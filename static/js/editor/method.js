/* How landmarks are marked: one tab for each registered way, its fields below. */

import { $, el } from "../dom.js";
import { createFields } from "../fields.js";

/** A way whose parameter is the list of events itself is the one that is edited by hand. */
const byHand = (method) => method.fields.some(({ name }) => name === "events");
const needsTimes = (method) => method.fields.some(({ unit }) => unit === "s");

/**
 * Tabs in `host` for `methods`. `on.change()` after a field changed, `on.choose()` after another tab was chosen.
 * Returns {current(), isManual(), describe(events), choose(name), manual(), fail(errors), clear()}.
 */
export function createMethods(host, methods, { hasTime, on }) {
  const tabs = new Map();
  let chosen = null;
  const bar = el("div", { class: "segmented", role: "group", "aria-label": "How landmarks are marked" });
  const summary = el("p", { class: "small muted" });
  const body = el("div", { class: "stack", dataset: { fields: "" } });

  for (const method of methods) {
    const possible = hasTime || !needsTimes(method);
    const form = el("div", { class: "stack" });
    const fields = createFields(form, method.fields.filter(({ name }) => name !== "events"), { onChange: on.change });
    const button = el("button", { type: "button", disabled: !possible, "aria-pressed": "false", dataset: { method: method.name } }, method.title);
    button.addEventListener("click", () => {
      choose(method.name);
      on.choose();
    });
    bar.append(button);
    tabs.set(method.name, { method, fields, button, form, possible });
  }
  const missing = [...tabs.values()].filter(({ possible }) => !possible);
  const why = missing.length
    ? el("p", { class: "notice small", dataset: { why: "" } }, `${missing.map(({ method }) => method.title).join(", ")}: needs times, and this dataset has none. Pick events by hand.`)
    : null;
  host.replaceChildren(bar, ...[why].filter(Boolean), summary, body);

  function choose(name) {
    chosen = tabs.get(name);
    for (const tab of tabs.values()) tab.button.setAttribute("aria-pressed", String(tab === chosen));
    summary.textContent = chosen.method.summary;
    body.replaceChildren(chosen.form);
  }

  const manual = [...tabs.values()].find(({ method }) => byHand(method));
  choose(([...tabs.values()].find(({ possible, method }) => possible && !byHand(method)) ?? manual).method.name);
  return {
    isManual: () => chosen === manual,
    toManual: () => choose(manual.method.name),
    choose,
    set: (values) => chosen.fields.set(values),
    describe: (events) => ({ name: chosen.method.name, ...(chosen === manual ? { events } : chosen.fields.values()) }),
    fail: (errors) => chosen.fields.fail(errors),
    clear: () => chosen.fields.clear(),
  };
}

/** The list of stays: when, how long, how many events; a press leads there. */
export function showStays(host, runs, track, goTo, { moment, duration, count }) {
  const most = 200;
  const items = runs.slice(0, most).map(([start, end]) => {
    const when = track.time ? moment(track.time[start], { seconds: false }) : `Event ${start}`;
    const long = track.time ? `${duration(track.time[end - 1] - track.time[start])} · ` : "";
    return el(
      "li",
      {},
      el("button", { type: "button", class: "stay", onclick: () => goTo(start) }, el("span", {}, when), el("span", { class: "muted" }, `${long}${count(end - start, "event")}`)),
    );
  });
  host.replaceChildren(...items);
  const more = $("[data-more-stays]");
  more.hidden = runs.length <= most;
  more.textContent = `and ${runs.length - most} more`;
}
