/* The table of releases of trajectories: each mechanism, each with steps after it, and the best one with a smoother. */

import { arrange, groupHead } from "../../components/release_form/release_row.js";
import { ReleaseTable } from "../../components/release_form/release_table.js";
import { $, el } from "../../core/dom.js";
import { axisOf, showScale } from "./error_axis.js";
import { COLUMNS, createRow } from "./release_row.js";

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
    this.groupHead = groupHead(COLUMNS, text, this.more);
    const many = described.filter((one) => one.reads_landmarks).length;
    const note = `With a landmark set, ${many} more mechanisms protect all landmarks together.`;
    this.unoffered = groupHead(COLUMNS, note);
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
    const { listed } = this;
    return createRow(mechanism, { fields: this.fieldsOf(mechanism), listed, lineStyle, on: this.on, ...options });
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
