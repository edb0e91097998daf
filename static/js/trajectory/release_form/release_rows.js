/* The table of releases of trajectories: each mechanism, each with steps after it, and the best one with a smoother. */

import { isGiven } from "../../components/number_field.js";
import {
  arrange,
  createRow as createPlain,
  groupHead,
  ReleaseTable,
} from "../../components/release_form/release_table.js";
import { verdictText } from "../../components/verdict_text.js";
import { $, el } from "../../core/dom.js";
import { selectOf, smallButton } from "../../core/elements.js";
import { addSpeed, createAfter } from "../postprocess_steps.js";
import { axisOf, errorOf, showScale, span } from "./answer.js";

/**
 * A release by `mechanism` with the parameters `own` of `fields`, and the steps `postprocess` of those `listed`; null
 * for one that has none and is always there. `on` has {change(row), tick(row), derive(row, step), remove(row)}.
 *
 * @param {any} mechanism
 * @param {{fields: any[], listed: any[], lineStyle: LineStyle, columns: string[], own?: object,
 *   postprocess?: any[] | null, on: any}} more
 */
export function createRow(mechanism, { fields, listed, lineStyle, columns, own = {}, postprocess = null, on }) {
  let isMade = false;
  const changed = () => isMade && on.change(row);
  const legends = () => (steps?.chosen() ?? []).map(({ short }) => ` + ${short}`);
  const row = createPlain(mechanism, {
    ...{ fields, lineStyle, own, columns, note: mechanism.exposes || "–", on: { ...on, change: changed } },
    /** The server's once there is a forecast. */
    titleOf: ({ found = null }) => found?.title ?? [mechanism.title, ...(isMade ? legends() : [])].join(""),
  });
  addSpeed(row.host, row.fields, changed);
  const steps = postprocess && createSteps(listed, changed, () => on.remove(row));
  row.beside.append(steps?.element ?? derivation(mechanism, listed, on, () => row));
  const stepValues = () => steps?.values() ?? [];
  const { spec, isWhole, fail, clear } = row;

  Object.assign(row, {
    steps,
    exposes: mechanism.exposes,
    spec: (level) => ({ ...spec(level), ...(stepValues().length && { postprocess: stepValues() }) }),
    isWhole: () => isWhole() && stepValues().every((one) => Object.values(one).every(isGiven)),
    specKey: () => [mechanism.name, ...stepValues().map((step) => step.name)].join("+"),
    fail: (errors) => fail(steps?.fail(errors) ?? errors),
    clear() {
      clear();
      steps?.clear();
    },
    /** Show the errors that the server returned, on an axis. */
    show(scaled) {
      const { found } = row;
      const one = { key: row.key, errors: found.errors };
      const { overall } = found.errors;
      const drawn = overall.p95_m === null ? [] : [span(scaled, overall, lineStyle)];
      const verdict = verdictText(found.verdict) || "–";
      row.fill([errorOf(one, "typical_m"), errorOf(one, "p95_m"), drawn, verdict], found.verdict);
      row.figures.replaceChildren(...groupFigures(one));
    },
  });
  steps?.set(postprocess ?? []);
  isMade = true;
  row.rename(mechanism.name);
  return row;
}

/** Errors of landmarks apart from the others', where both are published. */
function groupFigures(one) {
  const { landmarks, others } = one.errors;
  if (landmarks.typical_m === null || others.typical_m === null) return [];
  const of = (name) => [
    "half within ",
    errorOf(one, "typical_m", name),
    ", 95\u202f% within ",
    errorOf(one, "p95_m", name),
  ];
  return ["Landmarks: ", of("landmarks"), ". Other events: ", of("others"), "."].flat();
}

function createSteps(listed, onChange, remove) {
  const [chosen, offered] = [
    el("ol", { class: "steps stack gap-2", "aria-label": "Post-processing steps, in order" }),
    el("div"),
  ];
  const steps = createAfter({ chosen, offered }, listed, { onChange, short: true });
  const away = smallButton("Remove this row", null, remove);
  return { ...steps, element: el("div", { class: "stack" }, chosen, offered, el("div", {}, away)) };
}

/** "Add with post-processing": another row, of the same mechanism with a step after it. */
function derivation(mechanism, listed, on, row) {
  const options = listed.map(({ name, title }) => [name, title]);
  const select = selectOf({ "aria-label": `Post-processing of ${mechanism.title}` }, options);
  const add = () => {
    on.derive(row(), select.value);
    select.selectedIndex = 0;
  };
  const marked = { dataset: { derive: mechanism.name } };
  const button = smallButton("Add", `Add ${mechanism.title} with post-processing`, add, marked);
  return el("div", { class: "row" }, el("span", {}, "With post-processing"), select, button);
}

const EXPOSING = ["event", "w-event"]; // levels at which landmarks are not protected together
const FOLDED = ["w-event", "user"]; // levels that are shown on request, unless ticked
const MOST = 18; // rows that may be requested, with the one that the server suggests

/**
 * The rows of `table`. `described` mechanisms, `fieldsOf` those of one alone, `listed` steps, `styles` the line styles
 * of each mechanism; `onChange()` after every change.
 */
export class ReleaseRows extends ReleaseTable {
  constructor(table, described, { fieldsOf, listed, styles, onChange }) {
    super(table, {
      onChange,
      isApart: ({ mechanism }) => this.hasLandmarks && EXPOSING.includes(mechanism.level),
      figureOf: ({ errors }) => errors.overall.typical_m ?? Infinity,
    });
    this.described = described;
    this.fieldsOf = fieldsOf;
    this.listed = listed;
    this.styles = styles;
    /** The row that the server adds. @type {any} */
    this.suggestion = null;
    /** Whether there are landmarks. */
    this.hasLandmarks = true;
    this.isUnfolded = false;
    this.more = el("button", { class: "link small", type: "button", onclick: () => this.#unfold(!this.isUnfolded) });
    const text = "Weaker promise: not the landmarks together";
    this.groupHead = groupHead(this.columns, text, this.more);
    const many = described.filter((one) => one.reads_landmarks).length;
    const note = `With a landmark set, ${many} more mechanisms protect all landmarks together.`;
    this.unoffered = groupHead(this.columns, note);
    for (const { name } of described) this.#add(name);
    this.place();
  }

  /** Without landmarks those that read none. */
  all() {
    const all = [...this.rows, ...(this.suggestion ? [this.suggestion] : [])];
    return all.filter(({ mechanism }) => this.hasLandmarks || !mechanism.reads_landmarks);
  }

  whole() {
    return super.whole().filter((row) => row !== this.suggestion);
  }

  /** Caveats that all releases have which read landmarks; without landmarks all releases. */
  sharedCaveats() {
    const each = this.offered().filter(({ mechanism }) => mechanism.reads_landmarks === this.hasLandmarks);
    const [first, ...rest] = each.map(({ mechanism }) => mechanism.guarantee.caveats);
    return first.filter((text) => rest.every((others) => others.includes(text)));
  }

  /** Show the forecast of `requested` rows, that of a suggestion at its end; returns whether one more is requested. */
  show(found, requested) {
    const isMoved = this.#suggest(found.mechanisms[requested.length]);
    const known = [...requested, ...(found.mechanisms.length > requested.length ? [this.suggestion] : [])];
    const axis = axisOf(found.scale, found.mechanisms);
    this.take(found.mechanisms, known);
    for (const row of known) row.show(axis);
    showScale(this.table, $("[data-errors-scale]", this.table), axis, found.scale);
    return isMoved;
  }

  /** Choose the releases of a configuration: [{mechanism, postprocess}]. */
  set(specs) {
    this.#clear();
    for (const { mechanism, postprocess } of specs) {
      const own = this.rows.find((row) => row.mechanism.name === mechanism.name && !row.box.checked && !row.steps);
      const row = !postprocess.length && own ? own : this.#add(mechanism.name, { postprocess });
      row.fields.set(mechanism);
      row.box.checked = true;
    }
    this.isTouched = true;
    this.place();
    this.onChange();
  }

  kept() {
    return [...this.rows, ...(this.suggestion?.isKept ? [this.suggestion] : [])];
  }

  restored({ own, steps }) {
    this.#clear();
    return own.map(({ name }, i) => this.rows[i] ?? this.#add(name, { postprocess: steps[i] ?? [] }));
  }

  #make(name, options = {}) {
    const mechanism = this.described.find((one) => one.name === name);
    const before = this.rows.filter((one) => one.mechanism.name === name).length;
    const lineStyle = this.styles[name][before % this.styles[name].length];
    const { listed, columns, on } = this;
    return createRow(mechanism, { fields: this.fieldsOf(mechanism), listed, lineStyle, columns, on, ...options });
  }

  #add(name, options) {
    const row = this.#make(name, options);
    this.rows.push(row);
    return row;
  }

  #clear() {
    this.keep(({ steps }) => !steps);
    this.suggestion = null;
    for (const { box } of this.rows) box.checked = false;
  }

  on = {
    /** What was suggested is a row like others once it is changed, and stays once it is ticked. */
    change: (row) => {
      if (row === this.suggestion) this.#keepSuggestion();
      this.onChange();
    },
    tick: (row) => {
      this.isTouched = row.isKept = true;
      this.onChange();
    },
    derive: (row, step) => {
      if (this.rows.length >= MOST) return;
      const needed = this.listed.find(({ name }) => name === step).fields.filter(({ required }) => required);
      const first = Object.fromEntries(needed.map(({ name, example }) => [name, example]));
      const made = this.#add(row.mechanism.name, { own: row.fields.all(), postprocess: [{ name: step, ...first }] });
      made.box.checked = this.isTouched = true;
      this.place();
      made.unfold(true);
      $("input, select, button", made.detail).focus();
      this.onChange();
    },
    remove: (row) => {
      this.keep((one) => one !== row);
      if (row === this.suggestion) this.suggestion = null;
      this.place();
      this.onChange();
    },
  };

  #keepSuggestion() {
    this.rows.push(this.suggestion);
    this.suggestion = null;
  }

  /** Take the row that the server adds, unless it is there; returns whether one before it stays as a row of its own. */
  #suggest(found) {
    const own = found && this.rows.find(({ mechanism, steps }) => mechanism.name === found.name && !steps).fields.all();
    const of = found && JSON.stringify([found.title, own]); // a title has no parameters of the mechanism's own
    if (found && this.suggestion?.of === of) return false;
    const isMoved = Boolean(this.suggestion?.isKept);
    if (isMoved) this.#keepSuggestion();
    const made = found && this.#make(found.name, { own, postprocess: found.postprocess });
    this.suggestion = made ? Object.assign(made, { of }) : null;
    return isMoved;
  }

  #unfold(on) {
    this.isUnfolded = on;
    this.place();
  }

  #isFoldable = ({ mechanism, box }) => this.hasLandmarks && FOLDED.includes(mechanism.level) && !box.checked;

  place() {
    this.name();
    const sorted = this.offered();
    const foldable = sorted.filter(this.#isFoldable);
    for (const row of sorted) row.fold(!this.isUnfolded && foldable.includes(row));
    this.more.hidden = !foldable.length;
    this.more.setAttribute("aria-expanded", String(this.isUnfolded));
    this.more.textContent = `${this.isUnfolded ? "Hide" : "Show"} ${foldable.map(({ title }) => title).join(", ")}`;
    const weak = sorted.filter((row) => this.isApart(row));
    const rowsOf = (some) => some.flatMap(({ element, detail }) => [element, detail]);
    arrange(this.bodies[0], rowsOf(sorted.filter((row) => !weak.includes(row))));
    arrange(this.bodies[1], this.hasLandmarks ? [this.groupHead, ...rowsOf(weak)] : [this.unoffered]);
  }
}
