/* The table of releases of a form. The answer, the usable row of the best figure, is ticked until the user ticks, if it
 * is not made already.
 */

import { el } from "../../core/dom.js";
import { icon, list } from "../../core/elements.js";
import { swatch } from "../../core/swatch.js";
import { createFields } from "../form_fields.js";
import { isGiven } from "../number_field.js";
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
    /** The classes of the head's cells between the name of a row and what opens it: its own cells have them too. */
    this.columns = [...table.tHead.rows[0].cells].slice(2, -1).map(({ className }) => className);
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

const OPEN = "M4 6l4 4 4-4";
let made = 0;

/**
 * A row of `mechanism` with the parameters `own` of `fields`; between its name and what opens the row below it there is
 * a cell of each class in `columns`, and `note` beside that. Without `canTick` it has no checkbox and is never made.
 * `on` has {change(row), tick(row)}; `titleOf(row)` is its title.
 *
 * @param {any} mechanism
 * @param {{fields: any[], lineStyle: LineStyle, columns: string[], note?: string, own?: object, canTick?: boolean,
 *   titleOf?: (row: any) => string, on: any}} more
 */
export function createRow(mechanism, more) {
  const { fields: shown, lineStyle, columns, note = "", own = {}, canTick = true, on } = more;
  const { titleOf = () => mechanism.title } = more;
  const id = `release-${(made += 1)}`;
  let isMade = false;
  const attributes = { type: "checkbox", name: "mechanism", value: mechanism.name, id, dataset: { unkept: "" } };
  const box = el("input", canTick ? attributes : { type: "checkbox", disabled: true });
  const name = el("span");
  const cells = columns.map((style) => el("td", { class: style }, style === "number" && "–"));
  const toggle = el(
    "button.errors__toggle",
    { "aria-expanded": "false", "aria-controls": `${id}-parameters` },
    icon(OPEN),
  );
  const label = el(canTick ? "label" : "span", { class: "line", for: canTick ? id : null }, swatch(lineStyle), name);
  const open = el("td.errors__open", note && el("span.small.muted", note), toggle);
  const element = el("tr", el("td", canTick && box), el("th", { scope: "row" }, label), cells, open);

  const host = el("div.parameters__fields.unless-empty");
  const fields = createFields(host, shown, { onChange: () => isMade && on.change(row) });
  const figures = el("p.small.unless-empty");
  const beside = el("div.stack", host);
  const detail = el(
    "tr.parameters",
    { id: `${id}-parameters`, hidden: true, dataset: { unkept: "", mechanism: mechanism.name } },
    el("td", { colspan: columns.length + 3 }, el("div.parameters__all", about(mechanism, figures), beside)),
  );

  /** @type {any} */
  const row = {
    ...{ mechanism, lineStyle, box, element, detail, fields, host, cells, figures, beside, canTick },
    /** What the server returned of it; null before. @type {any} */
    found: null,
    /** A name that no other row has: the caller sets it, for data-quantity. */
    key: mechanism.name,
    title: mechanism.title,
    spec: (level) => ({ mechanism: { name: mechanism.name, ...level, ...fields.values() } }),
    specKey: () => mechanism.name,
    isWhole: () => Object.values(fields.values()).every(isGiven),
    fail: fields.fail,
    clear: fields.clear,
    unfold(on_) {
      detail.hidden = !on_;
      toggle.setAttribute("aria-expanded", String(on_));
    },
    /** Not shown, and its parameters neither. */
    fold(off) {
      element.hidden = off;
      if (off) row.unfold(false);
    },
    /** Give it its key, and its title, whose parts are joined by " + "; whose package it is of stands below. */
    rename(key) {
      const title = titleOf(row);
      Object.assign(row, { key, title });
      const parts = partsOf(title);
      name.replaceChildren(...parts.flatMap((part, i) => (i ? [" ", part] : [part])));
      toggle.setAttribute("aria-label", `Parameters of ${title}`);
    },
    /** Show its figures, the content of each cell. */
    fill(contents, verdict) {
      element.dataset.release = detail.dataset.release = row.key;
      element.dataset.verdict = verdict?.name ?? "";
      cells.forEach((cell, i) => cell.replaceChildren(...[contents[i] ?? []].flat()));
      const { made: href } = row.found ?? {};
      const link = el("a", { href, "aria-label": `${row.title}: made already` }, "made");
      if (href) cells[cells.length - 1].replaceChildren(el("span", contents.at(-1)), " ", link);
    },
  };
  fields.set(own);
  box.addEventListener("change", () => on.tick(row));
  toggle.addEventListener("click", () => row.unfold(Boolean(detail.hidden)));
  row.rename(mechanism.name);
  isMade = true;
  return row;
}

/** The parts of a title: the mechanism, whose package it is of, the steps after it. @param {string} title */
export const partsOf = (title) =>
  title.split(/ \+ | \((?=[^()]*, not reviewed\))/).map((text, i) => {
    const [, from] = /(.*), not reviewed\)$/.exec(text) ?? [];
    return from ? el("span.small.muted.clip", `not reviewed · ${from}`) : el("span", i ? `+ ${text}` : text);
  });

const about = ({ summary, guarantee, exposes, better_elsewhere: elsewhere }, figures) =>
  el(
    "div.stack",
    el("p", summary),
    elsewhere && el("p.small", elsewhere),
    exposes && el("p.small.only-phone", `Not covered: ${exposes}.`),
    figures,
    list({ class: "bullets small muted" }, guarantee?.caveats ?? []),
  );

/** A row that heads a group. */
export const groupHead = (columns, ...content) =>
  el("tr.errors__group", el("th", { scope: "rowgroup", colspan: columns.length + 3 }, ...content));

/** Put `wanted` into `host` in their order, unless they are; what has the focus keeps it. */
export function arrange(host, wanted) {
  if (wanted.length === host.childElementCount && wanted.every((one, i) => one === host.children[i])) return;
  const focused = document.activeElement;
  host.replaceChildren(...wanted);
  if (focused instanceof HTMLElement && host.contains(focused)) focused.focus({ preventScroll: true });
}
