/* The table of releases: each mechanism, each with steps after it, and the best one with a smoother. The answer is
 * ticked until the user ticks.
 */

import { arrange, groupHead } from "../../components/release_form/release_row.js";
import { $, el } from "../../core/dom.js";
import { verdictRank } from "../../components/verdict_text.js";
import { best } from "./answer.js";
import { axisOf, showScale } from "./error_axis.js";
import { COLUMNS, createRow } from "./release_row.js";

const EXPOSING = ["event", "w-event"]; // levels at which landmarks are not protected together
const FOLDED = ["w-event", "user"]; // levels that are shown on request, unless ticked
const MOST = 18; // rows that may be requested, with the one that the server suggests

const typicalOf = ({ found }) => found?.errors.overall.typical_m ?? Infinity;
const rankOf = ({ found }) => verdictRank(found?.verdict);
const byError = (a, b) => typicalOf(a) - typicalOf(b) || 0;
const isStrong = ({ mechanism }) => !EXPOSING.includes(mechanism.level);

/**
 * The rows of `table`. `described` mechanisms, `fieldsOf` those of one alone, `listed` steps, `styles` the line styles
 * of each mechanism; `onChange()` after every change.
 */
export class ReleaseRows {
  constructor(table, described, { fieldsOf, listed, styles, onChange }) {
    this.table = table;
    this.described = described;
    this.fieldsOf = fieldsOf;
    this.listed = listed;
    this.styles = styles;
    this.onChange = onChange;
    /** @type {any[]} */
    this.rows = [];
    /** The row that the server adds. @type {any} */
    this.suggestion = null;
    /** Whether the user ticked: nothing is ticked automatically any more. */
    this.isTouched = false;
    this.hasLandmarks = true;
    this.isUnfolded = false;
    this.more = el("button", { class: "link small", type: "button", onclick: () => this.#unfold(!this.isUnfolded) });
    const text = "Weaker promise: not the landmarks together";
    this.groupHead = groupHead(COLUMNS, text, this.more);
    const many = described.filter((one) => one.reads_landmarks).length;
    const note = `With a landmark set, ${many} more mechanisms protect all landmarks together.`;
    this.unoffered = groupHead(COLUMNS, note);
    this.bodies = [el("tbody"), el("tbody")];
    for (const { name } of described) this.#add(name);
    table.append(...this.bodies);
    this.#place();
  }

  /** Rows in the order in which they were made; without landmarks those that read none. */
  #offered() {
    const all = [...this.rows, ...(this.suggestion ? [this.suggestion] : [])];
    return all.filter(({ mechanism }) => this.hasLandmarks || !mechanism.reads_landmarks);
  }

  /** All rows as they stand in the table: the best verdict and the least error first, weaker promises last. */
  offered() {
    const weak = (row) => Number(this.hasLandmarks && !isStrong(row));
    return this.#offered().sort((a, b) => weak(a) - weak(b) || rankOf(a) - rankOf(b) || byError(a, b));
  }

  /** Those ticked. */
  chosen = () => this.offered().filter(({ box }) => box.checked);

  /** Rows whose parameters are given: what errors are requested of. */
  whole = () => this.#offered().filter((row) => row !== this.suggestion && row.isWhole());

  /** The first `many` rows that keep their promise for landmarks, of the least error. */
  leading(many) {
    const known = this.offered().filter((row) => row.isWhole() && typicalOf(row) < Infinity);
    return known
      .filter((row) => isStrong(row) || !this.hasLandmarks)
      .sort(byError)
      .slice(0, many);
  }

  /** Caveats that all releases have which read landmarks; without landmarks all releases. */
  sharedCaveats() {
    const each = this.offered().filter(({ mechanism }) => mechanism.reads_landmarks === this.hasLandmarks);
    const [first, ...rest] = each.map(({ mechanism }) => mechanism.guarantee.caveats);
    return first.filter((text) => rest.every((others) => others.includes(text)));
  }

  /** State whether there are landmarks. @param {boolean} on */
  landmarks(on) {
    this.hasLandmarks = on;
    this.#place();
  }

  /** Show the forecast of `requested` rows, that of a suggestion at its end; returns whether another is to be made. */
  show(found, requested) {
    const isMoved = this.#suggest(found.mechanisms[requested.length]);
    const known = [...requested, ...(found.mechanisms.length > requested.length ? [this.suggestion] : [])];
    const axis = axisOf(found.scale, found.mechanisms);
    known.forEach((row, i) => (row.found = found.mechanisms[i]));
    const isOther = this.#tickAnswer() || isMoved;
    this.#place();
    for (const row of known) row.show(axis);
    showScale(this.table, $("[data-errors-scale]", this.table), axis, found.scale);
    return isOther;
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
    this.#place();
    this.onChange();
  }

  /** What no control holds, for components/kept_form.js. */
  memory = {
    read: () => {
      const kept = [...this.rows, ...(this.suggestion?.isKept ? [this.suggestion] : [])];
      return {
        chosen: this.isTouched ? kept.map(({ box }) => box.checked) : null,
        own: kept.map(({ mechanism, fields }) => ({ ...fields.all(), name: mechanism.name })),
        steps: kept.map(({ steps }) => steps?.values() ?? null),
      };
    },
    apply: ({ chosen, own, steps }) => {
      this.#clear();
      own.forEach((values, i) => {
        const row = this.rows[i] ?? this.#add(values.name, { postprocess: steps[i] ?? [] });
        row.fields.set(values);
        row.box.checked = Boolean(chosen?.[i]);
      });
      this.isTouched = chosen !== null;
      this.#place();
      this.onChange();
    },
  };

  #make(name, options = {}) {
    const mechanism = this.described.find((one) => one.name === name);
    const before = this.rows.filter((one) => one.mechanism.name === name).length;
    const lineStyle = this.styles[name][before % this.styles[name].length];
    const { listed } = this;
    return createRow(mechanism, { fields: this.fieldsOf(mechanism), listed, lineStyle, on: this.#on, ...options });
  }

  #add(name, options) {
    const row = this.#make(name, options);
    this.rows.push(row);
    return row;
  }

  #clear() {
    this.rows = this.rows.filter(({ steps }) => !steps);
    this.suggestion = null;
    for (const { box } of this.rows) box.checked = false;
  }

  #on = {
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
      this.#place();
      made.unfold(true);
      $("input, select, button", made.detail).focus();
      this.onChange();
    },
    remove: (row) => {
      this.rows = this.rows.filter((one) => one !== row);
      if (row === this.suggestion) this.suggestion = null;
      this.#place();
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

  #tickAnswer() {
    if (this.isTouched) return false;
    const before = this.chosen();
    const answer = best(
      this.offered()
        .filter(({ found }) => found)
        .map((row) => ({ ...row.found, row })),
    )?.row;
    for (const row of this.offered()) row.box.checked = row === answer;
    return before.length !== (answer ? 1 : 0) || before[0] !== answer;
  }

  #unfold(on) {
    this.isUnfolded = on;
    this.#place();
  }

  #isFoldable = ({ mechanism, box }) => this.hasLandmarks && FOLDED.includes(mechanism.level) && !box.checked;

  /** Put the rows in their order, and name them. */
  #place() {
    const keys = new Map();
    for (const row of this.#offered()) {
      const [key, before] = [row.specKey(), keys.get(row.specKey()) ?? 0];
      keys.set(key, before + 1);
      row.rename(before ? `${key}#${before + 1}` : key);
    }
    const sorted = this.offered();
    const foldable = sorted.filter(this.#isFoldable);
    for (const row of sorted) row.fold(!this.isUnfolded && foldable.includes(row));
    this.more.hidden = !foldable.length;
    this.more.setAttribute("aria-expanded", String(this.isUnfolded));
    this.more.textContent = `${this.isUnfolded ? "Hide" : "Show"} ${foldable.map(({ title }) => title).join(", ")}`;
    const weak = sorted.filter((row) => this.hasLandmarks && !isStrong(row));
    const rowsOf = (some) => some.flatMap(({ element, detail }) => [element, detail]);
    arrange(this.bodies[0], rowsOf(sorted.filter((row) => !weak.includes(row))));
    arrange(this.bodies[1], this.hasLandmarks ? [this.groupHead, ...rowsOf(weak)] : [this.unoffered]);
  }
}
