/* Which events are landmarks: random shares, stay points, the marks of a file, or saved sets of any method, zones and
 * events selected manually too.
 */

import { radios } from "../../components/choice_controls.js";
import { inOneOrder } from "../../components/experiment_form/cells.js";
import { createTicks, createList, ofValue } from "../../components/experiment_form/value_list.js";
import { ownValues } from "../../components/experiment_form/variant_cards.js";
import { createFields } from "../../components/form_fields.js";
import { get } from "../../core/api.js";
import { $, el } from "../../core/dom.js";
import { choice } from "../../core/elements.js";
import { count, whole } from "../../core/format.js";
import { once } from "../../core/once.js";

const keyOf = (method) => JSON.stringify(inOneOrder(method));
const LABELS = {
  zones: ({ zones }) => count(zones.length, "zone"),
  manual: ({ events }) => `${count(events.length, "event")} selected manually`,
};

const LEGEND = {
  ...{ legend: "Landmark sets", help: "Each one selected is a separate value.", least: "Select at least one." },
};

/**
 * The sets of a dataset to tick, requested when they are first shown. `sets` is where the API lists them,
 * `mark(dataset)` where one is made, `titles` of the methods. Returns {element, of(dataset or null), methods() chosen,
 * values() or null, set({methods}), fail(at, name, text), clear()}.
 */
function createMarked({ sets, mark, titles }, { onChange }) {
  const element = el("div", { class: "stack", dataset: { unkept: "" } }); // its boxes come later than the form
  /** @type {any[]} */
  let [dataset, known, own, ticks] = [null, [], [], null]; // own: methods of a spec that no set has

  /** Those with dummies are left out: no method marks the same again. */
  const listed = (id) =>
    once(`landmark sets ${id}`, async () => {
      const { results } = id ? await get(`${sets}?dataset=${id}&page_size=200`) : { results: [] };
      return results.filter(({ source }) => !source);
    });

  function draw(chosen) {
    const choices = choicesOf(known, own, titles);
    const shown = [...choices].map(([value, { label, description }]) => ({ value, label, description }));
    const made = createTicks({ ...LEGEND, choices: shown }, chosen.map(keyOf), { onChange });
    ticks = { ...made, methods: () => (made.values() ?? []).map((value) => choices.get(value).method) };
    element.replaceChildren(made.element);
    if (!shown.length) $(".ticks__all", made.element).replaceChildren(emptyNote(dataset && mark(dataset)));
  }

  const chosen = () => ticks.methods();
  async function of(id) {
    if (id === dataset) return;
    dataset = id;
    let problem = "";
    const there = await listed(id).catch((error) => {
      problem = error.message;
      return [];
    });
    if (id !== dataset) return; // another was chosen meanwhile
    const before = chosen();
    known = there;
    const names = new Set([...known.map(({ method }) => method), ...own].map(keyOf));
    const left = before.filter((method) => names.has(keyOf(method)));
    draw(left);
    if (problem) ticks.fail(problem);
    if (left.length < before.length) onChange();
  }

  draw([]);
  return {
    element,
    of,
    methods: chosen,
    values: () => (chosen().length ? { kind: "marked", methods: chosen(), redraw: false } : null),
    set({ methods }) {
      own = methods;
      draw(methods);
    },
    fail(at, name, text) {
      ticks.fail(ofValue(at, text));
      return true;
    },
    clear: () => ticks.clear(),
  };
}

/** Choices by key: the sets `known`, then the methods of a spec that no set has. */
function choicesOf(known, methods, titles) {
  const choices = new Map();
  for (const { name, method, count: marked, points } of known) {
    const description = `${titles.get(method.name)}, ${whole(marked)} of ${count(points, "event")}`;
    choices.set(keyOf(method), { method, label: name, description });
  }
  for (const method of methods) {
    const label = LABELS[method.name]?.(method) ?? titles.get(method.name) ?? method.name;
    if (!choices.has(keyOf(method))) choices.set(keyOf(method), { method, label, description: "as in the spec" });
  }
  return choices;
}

/** Why there are no sets; `url` is where one is made, null for generated series. */
function emptyNote(url) {
  const attributes = { class: "muted small" };
  if (!url) return el("p", attributes, "Synthetic series have no landmark sets: choose a dataset above.");
  const link = el("a", { href: url }, "Define landmarks");
  return el("p", attributes, "This dataset has no landmark sets yet. ", link, " to choose them here.");
}

// made in the landmark editor: here they are chosen as sets
const EDITED = ["zones", "manual", "schedule", "released-zones"];
const MARKED = "marked";
const TEXTS = { synthetic: "Random", column: "In the file", [MARKED]: "Landmark sets" };
const NEEDS = { time: "Needs data with times.", "landmark column": "Needs a file with a landmark column." };

const SHARES = {
  ...{ share: true, label: "Shares" },
  help: "How many of the events are landmarks. Several are swept: 0 has none, 100 has only landmarks.",
};
const DISTRIBUTION = {
  ...{ legend: "Distribution over time", least: "Select at least one." },
  help: "Each one selected is a separate curve.",
};
const DURATIONS = {
  label: "Durations",
  help: "How long a stay must last: one for all distances, or one for each. 1800 s are 30 min.",
};

/** The parameters of each way: the lists and ticks by the name of their parameter, and the rest as fields. */
const CONTROLS = {
  synthetic(fields, on) {
    const { share, distribution } = fields;
    const redraw = el("input", { type: "checkbox", name: "redraw", checked: true, onchange: on.onChange });
    const otherwise = el("span", { class: "muted small" }, " · otherwise sampled once for all");
    return {
      parts: {
        share: createList({ ...share, ...SHARES }, [0.2], on),
        distribution: createTicks({ ...DISTRIBUTION, choices: distribution.choices }, ["uniform"], on),
      },
      redraw,
      after: choice(redraw, "Sampled again in each repetition", otherwise),
      read: ({ share: shares, distribution: distributions }) => ({ shares, distributions }),
      fill: ({ shares, distributions }) => ({ share: shares, distribution: distributions }),
    };
  },
  "stay-points"(fields, on) {
    const distance = { ...fields.distance_m, label: "Distances", help: `${fields.distance_m.help} Several are swept.` };
    return {
      parts: {
        distance_m: createList(distance, [200], on),
        duration_s: createList({ ...fields.duration_s, ...DURATIONS }, [1800], on),
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
  const form = el("div", { class: "tiles tiles--wide" });
  const fields = createFields(form, rest, on);
  const options = el("summary", { class: "small" }, "More options");
  /** @type {any} */
  const more = rest.length > 0 && el("details", { class: "disclosure" }, options, form);
  const needs = listed.needs.map((need) => NEEDS[need] ?? `Needs ${need}.`).join(" ");
  const about = el("p", { class: "small muted" }, `${listed.summary} ${needs}`);
  const lists = Object.values(controls.parts).map((part) => part.element);
  const element = el(
    "div",
    { class: "stack" },
    about,
    el("div", { class: "ways-of pair pair--wide" }, lists),
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
 * The choice in `host`; `links` as createMarked has them.
 * Returns {kinds, values() or null, sets() -> methods of the sets chosen, set(values), setSets(methods),
 * of(dataset or null) that it is tried on, fail(at, name, text), clear()}.
 */
export function createLandmarks(host, methods, usual, links, { onChange }) {
  const ways = methods.filter(({ name }) => !EDITED.includes(name)).map((listed) => way(listed, { onChange }));
  const isFirst = ({ listed }) => Number(listed.name === "synthetic");
  ways.sort((a, b) => isFirst(b) - isFirst(a));
  const titles = new Map(methods.map(({ name, title }) => [name, title]));
  const marked = createMarked({ ...links, titles }, { onChange });
  ways.push({ ...marked, listed: { name: MARKED } });
  /** @type {any[]} */
  let [chosen, dataset] = [ways[0], null];
  const options = ways.map(({ listed }) => [listed.name, TEXTS[listed.name] ?? listed.title]);
  const choice = radios("Methods", options, usual.kind, (kind) => {
    choose(kind);
    onChange();
  });
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
