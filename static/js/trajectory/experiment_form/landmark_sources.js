/* Which events are landmarks: random shares, stay points, the marks of a file, or saved sets, as those of a
 * map.
 */

import { el } from "../../core/dom.js";
import { choice } from "../../core/elements.js";
import { createFields } from "../../components/form_fields.js";
import { radios } from "../../components/choice_controls.js";
import { createList, ofValue } from "../../components/experiment_form/value_list.js";
import { createMarked } from "./saved_sets.js";
import { createTicks } from "../../components/experiment_form/checkbox_group.js";
import { ownValues } from "../../components/experiment_form/variant_cards.js";

// made in the landmark editor: here they are chosen as sets
const EDITED = ["zones", "manual", "schedule", "released-zones"];
const MARKED = "marked";
const TEXTS = { synthetic: "Random", column: "In the file", [MARKED]: "Landmark sets" };
const NEEDS = { time: "Needs data with times.", "landmark column": "Needs a file with a landmark column." };

/** The parameters of each way: the lists and ticks by the name of their parameter, and the rest as fields. */
const CONTROLS = {
  synthetic(fields, on) {
    const { share, distribution } = fields;
    const redraw = el("input", { type: "checkbox", name: "redraw", checked: true, onchange: on.onChange });
    return {
      parts: {
        share: createList(
          {
            ...share,
            share: true,
            label: "Shares",
            help: "How many of the events are landmarks. Several are swept: 0 has none, 100 has only landmarks.",
          },
          [0.2],
          on,
        ),
        distribution: createTicks(
          {
            legend: "Distribution over time",
            help: "Each one selected is a separate curve.",
            choices: distribution.choices,
            least: "Select at least one.",
          },
          ["uniform"],
          on,
        ),
      },
      redraw,
      after: choice(
        redraw,
        "Sampled again in each repetition",
        el("span", { class: "muted small" }, " · otherwise sampled once for all"),
      ),
      read: ({ share: shares, distribution: distributions }) => ({ shares, distributions }),
      fill: ({ shares, distributions }) => ({ share: shares, distribution: distributions }),
    };
  },
  "stay-points"(fields, on) {
    return {
      parts: {
        distance_m: createList(
          { ...fields.distance_m, label: "Distances", help: `${fields.distance_m.help} Several are swept.` },
          [200],
          on,
        ),
        duration_s: createList(
          {
            ...fields.duration_s,
            label: "Durations",
            help: "How long a stay must last: one for all distances, or one for each. 1800 s are 30 min.",
          },
          [1800],
          on,
        ),
      },
      read: ({ distance_m: distances, duration_s: durations }) =>
        durations.length === 1 || durations.length === distances.length ? { distances, durations } : null,
      fill: ({ distances, durations }) => ({ distance_m: distances, duration_s: durations }),
    };
  },
};
const NOTHING = () => ({ parts: {}, read: () => ({}), fill: () => ({}) });

function way(listed, on) {
  const byName = Object.fromEntries(listed.fields.map((field) => [field.name, field]));
  const controls = (CONTROLS[listed.name] ?? NOTHING)(byName, on);
  const rest = listed.fields.filter(({ name }) => !(name in controls.parts));
  const form = el("div", { class: "own__fields" });
  const fields = createFields(form, rest, on);
  /** @type {any} */
  const more =
    rest.length > 0 && el("details", { class: "disclosure" }, el("summary", { class: "small" }, "More options"), form);
  const needs = listed.needs.map((need) => NEEDS[need] ?? `Needs ${need}.`).join(" ");
  const element = el(
    "div",
    { class: "stack" },
    el("p", { class: "small muted" }, `${listed.summary} ${needs}`),
    el(
      "div",
      { class: "ways-of" },
      Object.values(controls.parts).map((part) => part.element),
    ),
    controls.after,
    more,
  );
  return {
    listed,
    element,
    values() {
      const found = Object.fromEntries(Object.entries(controls.parts).map(([name, part]) => [name, part.values()]));
      const own = ownValues(fields, rest);
      if (own === null || Object.values(found).includes(null)) return null;
      const read = controls.read(found);
      if (!read) controls.parts.duration_s.fail("Give one duration, or as many as distances.");
      return read && { kind: listed.name, ...read, more: own, redraw: controls.redraw?.checked ?? false };
    },
    set(values) {
      Object.entries(controls.fill(values)).forEach(([name, list]) => controls.parts[name].set(list));
      fields.set(values.more);
      if (controls.redraw) controls.redraw.checked = values.redraw;
    },
    fail(at, name, text) {
      if (controls.parts[name]) controls.parts[name].fail(ofValue(at, text));
      else if (!fields.fail([{ field: name, message: text }]).length) more.open = true;
      else return false;
      return true;
    },
    clear: () => [...Object.values(controls.parts), fields].forEach((part) => part.clear()),
  };
}

/**
 * The choice in `host`; `links` as in saved_sets.js.
 * Returns {kinds, values() or null, sets() -> methods of the sets chosen, set(values), setSets(methods),
 * of(dataset or null) that it is tried on, fail(at, name, text), clear()}.
 */
export function createLandmarks(host, methods, usual, links, { onChange }) {
  const ways = methods.filter(({ name }) => !EDITED.includes(name)).map((listed) => way(listed, { onChange }));
  const isFirst = ({ listed }) => Number(listed.name === "synthetic");
  ways.sort((a, b) => isFirst(b) - isFirst(a));
  const marked = createMarked(
    { ...links, titles: new Map(methods.map(({ name, title }) => [name, title])) },
    { onChange },
  );
  ways.push({ ...marked, listed: { name: MARKED } });
  /** @type {any[]} */
  let [chosen, dataset] = [ways[0], null];
  const choice = radios(
    "Methods",
    ways.map(({ listed }) => [listed.name, TEXTS[listed.name] ?? listed.title]),
    usual.kind,
    (kind) => {
      choose(kind);
      onChange();
    },
  );
  function choose(kind) {
    chosen = ways.find(({ listed }) => listed.name === kind);
    choice.set(kind);
    for (const one of ways) one.element.hidden = one !== chosen;
    if (kind === MARKED) marked.of(dataset);
  }
  host.append(choice.element, ...ways.map(({ element }) => element));
  const set = (values) => {
    choose(values.kind);
    chosen.set(values);
  };
  set(usual);
  return {
    set,
    kinds: ways.map(({ listed }) => listed.name),
    values: () => chosen.values(),
    sets: marked.methods,
    setSets: (/** @type {any[]} */ methods) => marked.set({ methods }),
    of(id) {
      dataset = id;
      if (chosen.listed.name === MARKED) marked.of(id);
    },
    fail: (...text) => chosen.fail(...text),
    clear: () => chosen.clear(),
  };
}
