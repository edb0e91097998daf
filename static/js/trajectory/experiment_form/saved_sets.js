/* Landmark sets that were kept: whatever marked them, zones and events picked by hand too. */

import { get } from "../../core/api.js";
import { $, count, el, whole } from "../../core/dom.js";
import { inOneOrder } from "./cells.js";
import { ofValue } from "./value_list.js";
import { createTicks } from "./checkbox_group.js";

const keyOf = (method) => JSON.stringify(inOneOrder(method));
const TEXTS = {
  zones: ({ zones }) => count(zones.length, "zone"),
  manual: ({ events }) => `${count(events.length, "event")} picked by hand`,
};

/**
 * The sets of a dataset to tick, asked for when they are first shown. `sets` is where the API lists them, `mark(dataset)`
 * where one is made, `titles` of the ways to mark. Returns {element, of(dataset or null), values() or null, set({methods}), fail(at, name, words), clear()}.
 */
export function createMarked({ sets, mark, titles }, { onChange }) {
  const describe = (method) => (TEXTS[method.name] ?? (() => titles.get(method.name) ?? method.name))(method);
  const element = el("div", { class: "stack" });
  const found = new Map(); // dataset -> the promise of its sets
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

  function note() {
    if (!dataset)
      return el(
        "p",
        { class: "muted small" },
        "Generated series have no landmark sets: choose a dataset of yours above.",
      );
    return el(
      "p",
      { class: "muted small" },
      "This dataset has no landmark sets yet. ",
      el("a", { href: mark(dataset) }, "Mark landmarks"),
      " to choose them here.",
    );
  }

  function draw(chosen) {
    const choices = new Map(
      known.map(({ name, method, count: marked, points }) => [
        keyOf(method),
        {
          method,
          label: name,
          description: `${titles.get(method.name)}, ${whole(marked)} of ${count(points, "event")}`,
        },
      ]),
    );
    for (const method of own)
      if (!choices.has(keyOf(method)))
        choices.set(keyOf(method), { method, label: describe(method), description: "as the spec has them" });
    const setChoices = [...choices].map(([value, { label, description }]) => ({ value, label, description }));
    const made = createTicks(
      {
        legend: "Landmark sets",
        help: "As they were marked. Each one ticked is tried on its own.",
        choices: setChoices,
        least: "Tick at least one.",
      },
      chosen.map(keyOf),
      { onChange },
    );
    ticks = { ...made, methods: () => (made.values() ?? []).map((value) => choices.get(value).method) };
    element.replaceChildren(made.element);
    if (!setChoices.length) $(".ticks__all", made.element).replaceChildren(note());
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
