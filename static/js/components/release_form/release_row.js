/* A release that may be made: a row of the table, and the row below it with what belongs to it alone. */

import { el } from "../../core/dom.js";
import { icon, list } from "../../core/elements.js";
import { createFields } from "../form_fields.js";
import { isGiven } from "../number_field.js";
import { swatch } from "../swatch.js";

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
  const name = el("span", {});
  const cells = columns.map((style) => el("td", { class: style }, style === "number" && "–"));
  const toggle = el(
    "button",
    { class: "errors__toggle", type: "button", "aria-expanded": "false", "aria-controls": `${id}-parameters` },
    icon(OPEN),
  );
  const label = el(canTick ? "label" : "span", { class: "line", for: canTick ? id : null }, swatch(lineStyle), name);
  const open = el("td", { class: "errors__open" }, note && el("span", { class: "small muted" }, note), toggle);
  const element = el("tr", {}, el("td", {}, canTick && box), el("th", { scope: "row" }, label), cells, open);

  const host = el("div", { class: "parameters__fields unless-empty" });
  const fields = createFields(host, shown, { onChange: () => isMade && on.change(row) });
  const figures = el("p", { class: "small unless-empty" });
  const beside = el("div", { class: "stack" }, host);
  const detail = el(
    "tr",
    { class: "parameters", id: `${id}-parameters`, hidden: true, dataset: { unkept: "", mechanism: mechanism.name } },
    el(
      "td",
      { colspan: columns.length + 3 },
      el("div", { class: "parameters__all" }, about(mechanism, figures), beside),
    ),
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
    /** Give it its key, and its title, whose parts are joined by " + ". */
    rename(key) {
      const title = titleOf(row);
      Object.assign(row, { key, title });
      const parts = title.split(" + ").map((text, i) => el("span", {}, i ? `+ ${text}` : text));
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
      if (href) cells[cells.length - 1].replaceChildren(el("span", {}, contents.at(-1)), " ", link);
    },
  };
  fields.set(own);
  box.addEventListener("change", () => on.tick(row));
  toggle.addEventListener("click", () => row.unfold(Boolean(detail.hidden)));
  row.rename(mechanism.name);
  isMade = true;
  return row;
}

const about = ({ summary, guarantee, exposes, better_elsewhere: elsewhere }, figures) =>
  el(
    "div",
    { class: "stack" },
    el("p", {}, summary),
    elsewhere && el("p", { class: "small" }, elsewhere),
    exposes && el("p", { class: "small only-phone" }, `Not covered: ${exposes}.`),
    figures,
    list({ class: "small muted" }, guarantee?.caveats ?? []),
  );

/** A row that heads a group. */
export const groupHead = (columns, ...content) =>
  el("tr", { class: "errors__group" }, el("th", { scope: "rowgroup", colspan: columns.length + 3 }, ...content));

/** Put `wanted` into `host` in their order, unless they are; what has the focus keeps it. */
export function arrange(host, wanted) {
  if (wanted.length === host.childElementCount && wanted.every((one, i) => one === host.children[i])) return;
  const focused = document.activeElement;
  host.replaceChildren(...wanted);
  if (focused instanceof HTMLElement && host.contains(focused)) focused.focus({ preventScroll: true });
}
