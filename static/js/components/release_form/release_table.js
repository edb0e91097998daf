/* The table of releases of a form. The answer, the usable row of the best figure, is ticked until the user ticks, if it
 * is not made already.
 */

import { el } from "../../core/dom.js";
import { verdictRank } from "../verdict_text.js";

/**
 * The rows of `table`, in two groups: `isApart(row)` are those of a weaker promise. Rows of one verdict are sorted by
 * `figureOf(found)`, the least first. `place` puts them in their order, and where rows come and go they have an `all`,
 * `kept` and `restored` of their own.
 */
export class ReleaseTable {
  /** In the order in which they were made. @type {any[]} */
  rows = [];
  /** Whether the user ticked: nothing is ticked automatically any more. */
  isTouched = false;

  constructor(table, { onChange, isApart, figureOf }) {
    this.table = table;
    this.onChange = onChange;
    this.isApart = isApart;
    this.figureOf = figureOf;
    this.bodies = [el("tbody"), el("tbody")];
    table.append(...this.bodies);
  }

  all() {
    return this.rows;
  }

  place() {}

  #figure = (row) => (row.found ? this.figureOf(row.found) : Infinity);
  #byFigure = (a, b) => this.#figure(a) - this.#figure(b) || 0;

  /** All rows as they stand in the table: the best verdict and the least figure first, weaker promises last. */
  offered() {
    const keyed = this.all().map((row) => ({
      row,
      apart: Number(this.isApart(row)),
      rank: verdictRank(row.found?.verdict),
    }));
    const sorted = keyed.sort((a, b) => a.apart - b.apart || a.rank - b.rank || this.#byFigure(a.row, b.row));
    return sorted.map(({ row }) => row);
  }

  /** Those ticked. */
  chosen = () => this.offered().filter(({ box }) => box.checked);

  /** Rows whose parameters are given: what errors are requested of. */
  whole() {
    return this.all().filter((row) => row.isWhole());
  }

  /** The first `many` rows of the strong promise that have a forecast, by their figure. */
  leading(many) {
    const known = this.all().filter((row) => !this.isApart(row) && row.isWhole() && this.#figure(row) < Infinity);
    return known.sort(this.#byFigure).slice(0, many);
  }

  /** The usable row of the best figure; null for none. */
  best = () => this.offered().find(({ canTick, found }) => canTick && found?.verdict?.name === "usable") ?? null;

  /** The title of the row of a key of `specKey()`. */
  titleOf = (key) => this.all().find((row) => row.specKey() === key)?.title;

  /** Take the forecasts `found` of `rows`, tick the answer, and put them in their order. */
  take(found, rows) {
    rows.forEach((row, i) => (row.found = found[i]));
    const best = this.best();
    if (!this.isTouched) this.#tick(best?.found.made ? [] : [best]);
    this.place();
  }

  /** Choose these rows, as a user does. */
  choose(rows) {
    this.#tick(rows);
    this.isTouched = true;
  }

  #tick(rows) {
    for (const row of this.all()) row.box.checked = rows.includes(row);
  }

  /** Give each row a key that no other has. */
  name() {
    const keys = new Map();
    for (const row of this.all()) {
      const [key, before] = [row.specKey(), keys.get(row.specKey()) ?? 0];
      keys.set(key, before + 1);
      row.rename(before ? `${key}#${before + 1}` : key);
    }
  }

  /** What rows call. */
  on = {
    change: () => this.onChange(),
    tick: () => {
      this.isTouched = true;
      this.onChange();
    },
  };

  kept() {
    return this.rows;
  }

  /** Drop the others. @param {(row: any) => boolean} isKept */
  keep(isKept) {
    this.rows = this.rows.filter(isKept);
  }

  /** The rows of what was kept. @param {any} kept @returns {any[]} */
  restored({ own }) {
    return this.rows.slice(0, own.length);
  }

  /** What no control holds, for components/kept_form.js. */
  memory = {
    read: () => {
      const kept = this.kept();
      return {
        chosen: this.isTouched ? kept.map(({ box }) => box.checked) : null,
        own: kept.map(({ mechanism, fields }) => ({ ...fields.all(), name: mechanism.name })),
        steps: kept.map(({ steps }) => steps?.values() ?? null),
      };
    },
    apply: ({ chosen, ...kept }) => {
      this.restored(kept).forEach((row, i) => {
        row.fields.set(kept.own[i]);
        row.box.checked = Boolean(chosen?.[i]);
      });
      this.isTouched = chosen !== null;
      this.place();
      this.onChange();
    },
  };
}
