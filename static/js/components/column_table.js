/* The rows of a preview, raw and as read, with the choice of a role above each column. */

import { $$, el } from "../core/dom.js";
import { whole } from "../core/format.js";
import { asRead } from "./as_read.js";

/** @type {Record<string, string>} Roles that go with another column and are not chosen by themselves. */
const DERIVED = {
  clock: "Time of day",
  offset: "Time zone",
  lat_sign: "Latitude, side",
  lon_sign: "Longitude, side",
  geometry: "Position",
  person: "Person",
};
const NONE = "Not used";

/** The name of a column for its owner. @param {{name: string, place: string}} column */
export const titleOf = ({ name, place }) => name || `column ${place.slice(1)}`;

/**
 * A table in `region`. `show(preview)` fills it and redraws it only if its columns changed, so that focus stays;
 * `mark(preview)` shows the roles of the columns alone; `turn(by)` goes to another row where one is shown at a time,
 * and returns its name. `onChoose(preview, place, role, title)` after a choice.
 *
 * @param {HTMLElement} region
 * @param {(preview: any, place: string, role: string, title: string) => void} onChoose
 */
export function createColumnTable(region, onChoose) {
  /** @type {ReturnType<typeof columnHead>[]} */
  let heads = [];
  let key = "";
  let at = 0;
  /** @type {any[]} */
  let shown = [];
  const body = el("tbody", { role: "rowgroup" });

  /** @param {any} preview */
  function draw({ columns, editable, roles, report }) {
    heads = columns.map((/** @type {any} */ column) => columnHead(column, editable, roles, onChoose));
    const corner = el("th", { scope: "col", role: "columnheader", class: "preview__line" }, report.row_unit);
    const cells = [corner, ...heads.map(({ cell }) => cell)];
    const head = el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, cells));
    const style = { "--columns": String(columns.length) };
    region.replaceChildren(el("table", { class: "preview__table", role: "table", style }, head, body));
  }

  /** @param {any} preview */
  function mark(preview) {
    const unsure = (/** @type {any} */ { role, resembles }) => (role ? "used" : resembles ? "doubt" : "unused");
    preview.columns.forEach((/** @type {any} */ column, /** @type {number} */ i) => {
      heads[i].mark(preview, column.role);
      for (const cell of $$(`[data-place="${i}"]`, body)) cell.dataset.use = unsure(column);
      heads[i].cell.dataset.use = unsure(column);
    });
  }

  function turn(/** @type {number} */ by) {
    at = Math.min(Math.max(at + by, 0), Math.max(shown.length - 1, 0));
    $$("tr[data-row]", body).forEach((row, i) => row.toggleAttribute("data-current", i === at));
    const { number, left_out: why } = shown[at] ?? {};
    return [number ? `line ${whole(number)}` : `row ${at + 1}`, why && `left out: ${why}`].filter(Boolean).join(", ");
  }

  return {
    isDrawn: () => key !== "",
    mark,
    turn,
    /** @param {any} preview */
    show(preview) {
      const { columns, editable, kind, rows } = preview;
      const wanted = columns.length
        ? JSON.stringify([editable, kind, columns.map((/** @type {any} */ { place, name }) => [place, name])])
        : "";
      if (wanted && wanted !== key) draw(preview);
      key = wanted;
      if (!wanted) return;
      shown = rows;
      body.replaceChildren(...rows.map((/** @type {any} */ row) => rowsOf(row, columns)).flat());
      mark(preview);
      heads.forEach(({ limit }, i) => limit?.(preview, columns[i].role));
      turn(0);
    },
  };
}

/**
 * A row, and below one that was left out the reason.
 *
 * @param {{number: number, cells: string[], read: Record<string, string>, left_out: string}} row
 * @param {any[]} columns
 */
function rowsOf({ number, cells, read, left_out: why }, columns) {
  const part = (/** @type {string} */ role) => role in read && el("strong", {}, asRead(role, read[role]));
  const readOf = (/** @type {string} */ role) => (role === "geometry" ? [part("lon"), " ", part("lat")] : part(role));
  const cell = (/** @type {string} */ text, /** @type {number} */ i) =>
    el(
      "td",
      { role: "cell", dataset: { place: i } },
      el("code", { title: text, dataset: { column: titleOf(columns[i]) } }, text),
      readOf(columns[i].role),
    );
  const head = el("th", { scope: "row", role: "rowheader", class: "preview__line" }, number ? whole(number) : "");
  const row = el("tr", { role: "row", dataset: { row: number } }, head, cells.map(cell));
  if (!why) return [row];
  row.dataset.leftOut = "";
  const reason = el("td", { role: "cell", colspan: cells.length + 1 }, el("span", {}, `Left out: ${why}`));
  return [row, el("tr", { role: "row", class: "preview__why" }, reason)];
}

/**
 * The head of one column: {cell, mark(preview, role), limit(preview, role)}.
 *
 * @param {{place: string, name: string}} column
 * @param {boolean} editable
 * @param {Role[]} roles
 * @param {(preview: any, place: string, role: string, title: string) => void} onChoose
 */
function columnHead(column, editable, roles, onChoose) {
  const title = titleOf(column);
  return editable ? choiceHead(column.place, title, roles, onChoose) : { ...fixedHead(title, roles), limit: undefined };
}

const headCell = (/** @type {any[]} */ ...parts) => el("th", { scope: "col", role: "columnheader" }, parts);

/** @param {string} title @param {Role[]} roles */
function fixedHead(title, roles) {
  const caption = el("span", { class: "small muted" });
  const mark = (/** @type {any} */ _, /** @type {string} */ role) => {
    caption.textContent = roles.find((one) => one.name === role)?.label ?? DERIVED[role] ?? NONE;
  };
  return { cell: headCell(caption, el("span", { class: "preview__name clip" }, title)), mark };
}

/**
 * @param {string} place
 * @param {string} title
 * @param {Role[]} roles
 * @param {(preview: any, place: string, role: string, title: string) => void} onChoose
 */
function choiceHead(place, title, roles, onChoose) {
  const id = `preview-${place.slice(1)}`;
  const none = el("option", { value: "" });
  const choices = roles.map((role) => el("option", { value: role.name }, role.label));
  const select = el("select", { class: "input", id, "aria-describedby": "preview-help" }, none, choices);
  const hidden = el("span", { class: "visually-hidden" }, ", read as");
  const label = el("label", { for: id, class: "preview__name clip", title }, title, hidden);
  const isNeeded = (/** @type {string} */ name) => Boolean(roles.find((role) => role.name === name)?.needed);
  /** @type {any} */
  let shown = null;
  select.addEventListener("change", () => onChoose(shown, place, select.value, title));
  return {
    cell: headCell(el("span", { class: "preview__role" }, select), label),
    /** @param {any} preview @param {string} role */
    mark(preview, role) {
      shown = preview;
      none.textContent = DERIVED[role] ?? NONE;
      select.value = roles.some((one) => one.name === role) ? role : "";
    },
    /** A column of a position only changes places with another. @param {any} preview @param {string} role */
    limit(preview, role) {
      const isTaken = (/** @type {string} */ name) =>
        preview.columns.some((/** @type {any} */ one) => one.role === name);
      none.disabled = isNeeded(role);
      for (const choice of choices) {
        choice.disabled = isNeeded(role) && choice.value !== role && !isTaken(choice.value);
      }
    },
  };
}
