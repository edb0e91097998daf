/* The table of releases of a kind whose releases need the upload alone: a row for each mechanism and one for what costs
 * nothing, by their figure. The answer is ticked until the user ticks.
 */

import { el } from "../../core/dom.js";
import { arrange, createRow, groupHead } from "./release_row.js";

/**
 * The rows of `table`. `listed` are mechanisms, each with its own fields, line style and values; `kind` has `columns`,
 * `order(found)`, the least first, `free`, the row of what costs nothing, `isApart(row)` and `apart`, the title of
 * those rows; `onChange()` after every change, `simulateAll()` on the button of the group.
 */
export function createRows(table, listed, kind, { onChange, simulateAll }) {
  const { columns } = kind;
  const on = {
    change: onChange,
    tick() {
      state.isTouched = true;
      onChange();
    },
  };
  const rows = listed.map((mechanism) => {
    const { fields, style: lineStyle, own, publishable: canTick } = mechanism;
    return createRow(mechanism, { fields, lineStyle, columns, own, canTick, on });
  });
  const state = { isTouched: false };
  const bodies = [el("tbody"), el("tbody")];
  const known = (row) => (row.found ? kind.order(row.found) : Infinity);
  const offered = () =>
    [...rows].sort((a, b) => Number(kind.isApart(a)) - Number(kind.isApart(b)) || known(a) - known(b) || 0);
  const chosen = () => offered().filter(({ box }) => box.checked);
  const tickable = () => rows.filter(({ canTick }) => canTick);
  const all = { class: "link small", type: "button", onclick: simulateAll };
  const head = groupHead(columns, kind.apart, el("button", all, `Simulate all ${tickable().length}, no budget`));

  function place() {
    for (const row of rows)
      row.rename(kind.keyOf?.(row) ?? row.mechanism.name, kind.titleOf?.(row) ?? row.mechanism.title);
    const [free, sorted] = [kind.free.place(), offered()];
    const elements = ({ element, detail }) => [element, detail];
    const strong = sorted.filter((row) => !kind.isApart(row));
    const before = strong.filter((row) => free === null || known(row) < free);
    const after = strong.filter((row) => !before.includes(row));
    const weak = sorted.filter(kind.isApart);
    arrange(bodies[0], [...before.flatMap(elements), kind.free.element, ...after.flatMap(elements)]);
    arrange(bodies[1], weak.length ? [head, ...weak.flatMap(elements)] : []);
  }

  /** The usable row of the best figure; null for none. */
  const best = () => offered().find(({ found, canTick }) => canTick && found?.verdict?.name === "usable") ?? null;

  table.append(...bodies);
  place();
  return {
    state,
    rows,
    offered,
    chosen,
    tickable,
    place,
    best,
    whole: () => rows.filter((row) => row.isWhole()),
    /** Show the forecasts of the `requested` rows. */
    show(found, requested) {
      requested.forEach((row, i) => (row.found = found[i]));
      place();
      if (state.isTouched) return;
      const answer = best();
      for (const row of tickable()) row.box.checked = row === answer;
    },
    /** What no control holds, for components/kept_form.js. */
    memory: {
      read: () => ({
        chosen: state.isTouched ? rows.map(({ box }) => box.checked) : null,
        own: rows.map(({ fields }) => fields.all()),
      }),
      apply({ chosen: ticked, own }) {
        own.forEach((values, i) => rows[i]?.fields.set(values));
        rows.forEach(({ box }, i) => (box.checked = Boolean(ticked?.[i])));
        state.isTouched = ticked !== null;
        place();
        onChange();
      },
    },
  };
}
