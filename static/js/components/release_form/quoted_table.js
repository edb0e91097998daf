/* The table of releases of a kind whose releases need the upload alone: a row for each mechanism and one for what costs
 * nothing, by their figure.
 */

import { el } from "../../core/dom.js";
import { arrange, createRow, groupHead } from "./release_row.js";
import { ReleaseTable } from "./release_table.js";

/**
 * The rows of `table`. `listed` are mechanisms, each with its own fields, line style and values; `kind` has `columns`,
 * `figureOf(found)`, `free`, the row of what costs nothing (free_row.js), `isApart(row)` and `apart`, the title of
 * those rows; `simulateAll()` is called by the button of that group.
 */
export class QuotedTable extends ReleaseTable {
  constructor(table, listed, kind, { onChange, simulateAll }) {
    super(table, { ...kind, onChange });
    this.kind = kind;
    const { columns, titleOf } = kind;
    this.rows = listed.map((mechanism) => {
      const { fields, style: lineStyle, own, publishable: canTick } = mechanism;
      return createRow(mechanism, { fields, lineStyle, columns, own, canTick, titleOf, on: this.on });
    });
    const all = { class: "link small", type: "button", onclick: simulateAll };
    const head = el("button", all, `Simulate all ${this.tickable().length}, no budget`);
    this.head = groupHead(columns, kind.apart, head);
    this.place();
  }

  tickable = () => this.rows.filter(({ canTick }) => canTick);

  place() {
    this.name();
    const { free } = this.kind;
    const isBefore = ({ found }) => free.figure() === null || (found && this.figureOf(found) < free.figure());
    const [sorted, elements] = [this.offered(), ({ element, detail }) => [element, detail]];
    const [strong, weak] = [false, true].map((on) => sorted.filter((row) => this.isApart(row) === on));
    const after = strong.filter((row) => !isBefore(row));
    const before = strong.filter(isBefore);
    arrange(this.bodies[0], [...before.flatMap(elements), free.element, ...after.flatMap(elements)]);
    arrange(this.bodies[1], weak.length ? [this.head, ...weak.flatMap(elements)] : []);
  }

  /** Show the forecasts of the `requested` rows. */
  show(found, requested) {
    this.kind.free.take(found);
    this.take(found.mechanisms, requested);
  }
}
