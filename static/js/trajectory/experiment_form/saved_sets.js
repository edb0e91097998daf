/* Landmark sets of a dataset to choose from: those of any method, zones and events selected manually too. */

import { get } from "../../core/api.js";
import { $, el } from "../../core/dom.js";
import { count, whole } from "../../core/format.js";
import { inOneOrder } from "../../components/experiment_form/cells.js";
import { createTicks } from "../../components/experiment_form/checkbox_group.js";
import { ofValue } from "../../components/experiment_form/value_list.js";

const keyOf = (method) => JSON.stringify(inOneOrder(method));
const TEXTS = {
  zones: ({ zones }) => count(zones.length, "zone"),
  manual: ({ events }) => `${count(events.length, "event")} selected manually`,
};

const LEGEND = {
  legend: "Landmark sets",
  help: "Each one selected is a separate value.",
  least: "Select at least one.",
};

/**
 * The sets of a dataset to tick, requested when they are first shown. `sets` is where the API lists them,
 * `mark(dataset)` where one is made, `titles` of the methods. Returns {element, of(dataset or null), methods() chosen,
 * values() or null, set({methods}), fail(at, name, text), clear()}.
 */
export function createMarked({ sets, mark, titles }, { onChange }) {
  const element = el("div", { class: "stack", dataset: { unkept: "" } }); // its boxes come later than the form
  const found = new Map(); // dataset -> the promise of its sets
  /** @type {any[]} */
  let [dataset, known, own, ticks] = [null, [], [], null]; // own: methods of a spec that no set has

  async function listed(id) {
    if (!id) return [];
    // those with dummies are left out: no method marks the same again
    if (!found.has(id))
      found.set(
        id,
        get(`${sets}?dataset=${id}&page_size=200`).then(({ results }) => results.filter(({ source }) => !source)),
      );
    return found.get(id);
  }

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
      found.delete(id);
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
    const label = TEXTS[method.name]?.(method) ?? titles.get(method.name) ?? method.name;
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
