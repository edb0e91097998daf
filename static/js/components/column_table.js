/* The rows of a preview as a table, with the choice of a role above each column. */

import { el } from "../core/dom.js";

/** @type {Record<string, string>} Roles that go with another column and are not chosen by themselves. */
const DERIVED = {
  clock: "part of the time",
  offset: "time zone",
  lat_sign: "part of the latitude",
  lon_sign: "part of the longitude",
  geometry: "Position",
  person: "Person",
};

/**
 * A table in `region`. `show(preview)` fills it and redraws it only if its columns changed, so that focus stays;
 * `mark(preview)` shows the roles of the columns alone. `onChoose(preview, place, role, title)` after a choice.
 *
 * @param {HTMLElement} region
 * @param {(preview: any, place: string, role: string, title: string) => void} onChoose
 */
export function createColumnTable(region, onChoose) {
  /** @type {ReturnType<typeof columnHead>[]} */
  let heads = [];
  let key = "";
  const body = el("tbody");

  /** @param {any} preview */
  function draw({ columns, editable, roles }) {
    heads = columns.map((/** @type {any} */ column) => columnHead(column, editable, roles, onChoose));
    const row = el(
      "tr",
      {},
      heads.map(({ cell }) => cell),
    );
    region.replaceChildren(el("table", { class: "preview__table" }, el("thead", {}, row), body));
  }

  const mark = (/** @type {any} */ preview) => heads.forEach((head, i) => head.mark(preview, preview.columns[i].role));

  return {
    isDrawn: () => key !== "",
    mark,
    /** @param {any} preview */
    show(preview) {
      const { columns, editable, kind, rows } = preview;
      const wanted = columns.length
        ? JSON.stringify([editable, kind, columns.map((/** @type {any} */ { place, name }) => [place, name])])
        : "";
      if (wanted && wanted !== key) draw(preview);
      key = wanted;
      if (!wanted) return;
      mark(preview);
      heads.forEach(({ limit }, i) => limit?.(preview, columns[i].role));
      const cell = (/** @type {string} */ text, /** @type {number} */ i) =>
        el("td", { class: columns[i].role ? null : "muted" }, text);
      body.replaceChildren(...rows.map((/** @type {string[]} */ row) => el("tr", {}, row.map(cell))));
    },
  };
}

/**
 * The head of one column: {cell, mark(preview, role), limit(preview, role)}.
 *
 * @param {{place: string, name: string}} column
 * @param {boolean} editable
 * @param {Role[]} roles
 * @param {(preview: any, place: string, role: string, title: string) => void} onChoose
 */
function columnHead({ place, name }, editable, roles, onChoose) {
  const title = name || `column ${place.slice(1)}`;
  return editable ? choiceHead(place, title, roles, onChoose) : { ...fixedHead(title, roles), limit: undefined };
}

/** @param {string} title @param {Role[]} roles */
function fixedHead(title, roles) {
  const caption = el("span", { class: "small muted" });
  const mark = (/** @type {any} */ _, /** @type {string} */ role) => {
    caption.textContent = roles.find((one) => one.name === role)?.label ?? DERIVED[role] ?? "not read";
  };
  return { cell: el("th", { scope: "col" }, el("span", { class: "preview__name clip" }, title), caption), mark };
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
    cell: el("th", { scope: "col" }, label, select),
    /** @param {any} preview @param {string} role */
    mark(preview, role) {
      shown = preview;
      none.textContent = DERIVED[role] ?? "not read";
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
