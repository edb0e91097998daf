/* Rarely used sections, folded, with a summary of their contents: dummy landmarks, and what an adversary has. */

import { createFields } from "../../components/form_fields.js";
import { isGiven } from "../../components/number_field.js";
import { el } from "../../core/dom.js";
import { errorPlace, showText } from "../../core/elements.js";
import { count, number } from "../../core/format.js";
import { createList, createTicks, ofValue } from "../../components/experiment_form/value_list.js";
import { createVariants } from "../../components/experiment_form/variant_cards.js";

const NONE = { name: "none", title: "No dummies", summary: "The landmarks alone.", fields: [] };

/**
 * Dummy landmarks in `hosts` = {fold, summary, methods, own, level}. As the other parts, with rows() -> the same rows
 * with the usual values; `summary` is what the fold is called.
 */
export function createDummies(hosts, methods, usual, { onChange }) {
  const [epsilon] = methods.at(-1).fields.filter(({ name }) => name === "epsilon");
  const level = createList({ ...epsilon, label: "Levels of the selection" }, usual.levels, { onChange: changed });
  const shared = el("input", { type: "checkbox", name: "dummies-shared", onchange: changed });
  const note = errorPlace();
  const rest = el("label", { class: "choice" }, shared, "The release uses the rest of the level");
  const divided = "As in the thesis: both divide the level of the release. Otherwise each has its own.";
  const help = el("p", { class: "field__help" }, divided);
  hosts.level.replaceChildren(level.element, el("div", {}, rest, help), note);
  const chosen = createVariants({ cards: hosts.methods, rows: hosts.own }, [NONE, ...methods], {
    name: "dummies",
    shared: ["epsilon"],
    onChange: changed,
  });
  const rows = () => chosen.rows().filter(({ kind }) => kind !== NONE);
  const none = () => chosen.rows().length > rows().length;
  function show() {
    hosts.level.hidden = !rows().length;
    hosts.summary.textContent = rows().length ? count(rows().length, "way") + (none() ? ", and without" : "") : "none";
  }
  function changed() {
    show();
    onChange();
  }
  function showMessage(message) {
    showText(note, message);
    return null;
  }
  return {
    rows: () => ({ ...usual, none: none(), methods: chosen.names().filter(({ name }) => name !== NONE.name) }),
    values() {
      showMessage("");
      const [own, levels] = [rows().map((row) => row.values()), level.values()];
      if (own.includes(null) || !levels) return null;
      if (rows().length && none() && (levels.length > 1 || shared.checked))
        return showMessage(
          "Deselect “No dummies” to sweep or divide the level of the selection: without dummies it has none.",
        );
      return { none: none() || !rows().length, methods: own, levels, shared: shared.checked && rows().length > 0 };
    },
    set(values) {
      chosen.set([...(values.none ? [NONE] : []), ...values.methods]);
      level.set(values.levels);
      shared.checked = values.shared;
      hosts.fold.open = values.methods.length > 0;
      show();
    },
    fail(at, name, message) {
      hosts.fold.open = true;
      if (name === "epsilon") level.fail(message);
      else if (!chosen.fail(at ?? chosen.rows().indexOf(rows()[0]), name, message)) showMessage(message);
      return true;
    },
    failLevel(at, message) {
      hosts.fold.open = true;
      level.fail(ofValue(at, message));
    },
    clear() {
      [chosen, level].forEach((part) => part.clear());
      showMessage("");
    },
  };
}

const STRENGTHS = [
  [null, "No correlation", "positions are independent"],
  [1, "Weak", "s = 1"],
  [0.1, "Moderate", "s = 0.1"],
  [0.01, "Strong", "s = 0.01"],
];
const SMOOTHING = {
  ...{ name: "smoothing", label: "Other strengths", symbol: "s", unit: "", minimum: 0, maximum: 1e6 },
  help: "0 is the strongest, and more is weaker. Empty: only those selected.",
};
const DIAMETER = {
  ...{ name: "diameter_m", label: "Largest distance of states", symbol: "D", unit: "m" },
  ...{ minimum: 0.01, maximum: 20_100_000, default: 1000, choices: [] },
  help: "ε within the radius r counts D / r times. Empty: one radius, the plain levels of the papers.",
};
const STATES = {
  ...{
    name: "states",
    label: "States",
    minimum: 1,
    maximum: 400,
    default: 2,
    required: true,
    whole: true,
    choices: [],
  },
  help: "Places the adversary distinguishes. The paper uses 2.",
};
const BOUND = {
  ...{ name: "bound", label: "Bound on the loss of the landmarks", default: "published", required: true },
  choices: [
    { value: "published", label: "As printed in the paper: no upper bound" },
    { value: "bridge", label: "The bridge: an upper bound" },
  ],
};

/** The correlation that an adversary has, in `hosts` = {fold, summary, all}. As the other parts. */
export function createCorrelation(hosts, { onChange }) {
  const standard = STRENGTHS.map(([value]) => value);
  const ticks = createTicks(
    {
      legend: "How strongly successive positions are correlated",
      help: "Each one selected is a separate curve. Only privacy losses depend on it.",
      choices: STRENGTHS.map(([value, label, description]) => ({ value, label, description })),
    },
    [null],
    { onChange: changed },
  );
  const others = createList({ ...SMOOTHING, empty: true }, [], { onChange: changed });
  const form = el("div", { class: "tiles tiles--wide" });
  const fields = createFields(form, [DIAMETER, STATES, BOUND], { onChange: changed });
  hosts.all.replaceChildren(ticks.element, others.element, form);
  const smoothings = () => [...ticks.values(), ...(others.values() ?? [])];
  function show() {
    const known = smoothings().filter((value) => value !== null);
    hosts.summary.textContent = known.length
      ? known.map((value) => `s = ${number(value)}`).join(", ") + (smoothings().includes(null) ? ", and none" : "")
      : "none";
  }
  function changed() {
    ticks.fail("");
    show();
    onChange();
  }
  return {
    any: () => smoothings().some((value) => value !== null),
    values() {
      const [more, { states, bound, diameter_m }] = [others.values(), fields.all()];
      if (!more || !Object.values(fields.values()).every(isGiven)) return null;
      if (more.some((value) => ticks.values().includes(value))) {
        others.fail("It is selected above already.");
        return null;
      }
      const all = smoothings();
      return { smoothings: all.length ? all : [null], states, bound, diameter_m };
    },
    set(values) {
      ticks.set(values.smoothings.filter((value) => standard.includes(value)));
      others.set(values.smoothings.filter((value) => !standard.includes(value)));
      fields.set(values);
      hosts.fold.open = values.smoothings.some((value) => value !== null);
      show();
    },
    fail(at, name, message) {
      hosts.fold.open = true;
      if (!fields.fail([{ field: name, message }]).length) return true;
      if (smoothings()[at ?? 0] === undefined || standard.includes(smoothings()[at ?? 0])) ticks.fail(message);
      else others.fail(message);
      return true;
    },
    clear: () => [ticks, others, fields].forEach((part) => part.clear()),
  };
}
