/* The rows of a preview, raw and as read, with the choice of a role above each column. */

import { $, $$, el } from "../core/dom.js";
import { whole } from "../core/format.js";
import { asRead } from "./import_report.js";

/** @type {Record<string, string>} Roles that go with another column and are not chosen by themselves. */
const DERIVED = {
  offset: "Time zone",
  zone: "Time zone",
  lat_sign: "N or S",
  lon_sign: "E or W",
  geometry: "Position",
  counts: "Counts",
  names: "Part of the name",
};
const NONE = "Not used";
const NUMBER = /^[-+]?\d[\d.,'\s]*$/;
const OF_TIME = ["time", "clock", "year", "month", "day", "hhmm", "hour", "minute", "second", "offset", "zone"];

/** @typedef {{place: string, name: string, role: string, resembles: string, sentence: string}} Column */
/** @typedef {{at: number, columns: Column[]}} Group columns beside each other with one role, from column `at` on */

/** The name of a column for its owner. @param {{name: string, place: string}} column */
export const titleOf = ({ name, place }) => name || `column ${place.slice(1)}`;

/** What a role is called. @param {any} preview @param {string} role */
export const roleTitle = ({ roles }, role) =>
  roles.find((/** @type {Role} */ { name }) => name === role)?.label ??
  DERIVED[role] ??
  (role.startsWith("end_") ? "End" : OF_TIME.includes(role) ? "Part of the time" : "");

/** The zone of times that name none; "" where there are none. */
export const zoneOf = ({ report }) => report.decisions?.find(({ option }) => option === "time_zone")?.value ?? "";

/** The columns; those that are one instant and stand beside each other are one group. @param {Column[]} columns */
export function groupsOf(columns) {
  /** @type {Group[]} */
  const groups = [];
  columns.forEach((column, at) => {
    const last = groups.at(-1);
    if (last && [column, last.columns[0]].every(({ role }) => OF_TIME.includes(role))) last.columns.push(column);
    else groups.push({ at, columns: [column] });
  });
  return groups;
}

const mainOf = (/** @type {Group} */ { columns }) => columns.find(({ role }) => role === "time") ?? columns[0];
const titleIn = (/** @type {Group} */ { columns }) => columns.map(titleOf).join(" + ");
const th = (
  /** @type {string} */ scope,
  /** @type {Record<string, any>} */ attributes,
  /** @type {any[]} */ ...parts
) => el("th", { scope, role: scope === "row" ? "rowheader" : "columnheader", ...attributes }, parts);
const line = (/** @type {any[]} */ ...cells) => el("tr", { role: "row" }, cells);

/**
 * A table in `region`. `show(preview)` fills it and redraws its head only if its columns changed, so that focus stays;
 * `mark(preview)` shows the roles of the columns alone; `turn(by)` goes to another row where one is shown at a time,
 * and returns its name. `onChoose(preview, place, role, title)` and `onZone(zone)` after a choice.
 *
 * @param {HTMLElement} region
 * @param {(preview: any, place: string, role: string, title: string) => void} onChoose
 * @param {(zone: string) => void} onZone
 */
export function createColumnTable(region, onChoose, onZone) {
  /** @type {ReturnType<typeof columnHead>[]} */
  let heads = [];
  /** @type {Group[]} */
  let groups = [];
  /** @type {any[]} */
  let shown = [];
  let [key, at, isNaive] = ["", 0, false];
  const body = el("tbody", { role: "rowgroup" });
  const zone = zoneField(onZone);

  function draw(preview) {
    const focused = document.activeElement?.id;
    heads = groups.map((group) => columnHead(group, preview, onChoose));
    const corner = (/** @type {string} */ text) => th("col", { class: "preview__line" }, text);
    const names = groups.map((group, i) => th("col", { dataset: { place: i } }, rawOf(group.columns.map(titleOf))));
    const roles = line(corner("role"), ...heads.map(({ cell }) => cell));
    const head = el("thead", { role: "rowgroup" }, roles, line(corner(preview.report.row_unit), ...names));
    const style = { "--columns": String(groups.length) };
    region.replaceChildren(el("table.preview__table.small", { role: "table", style }, head, body));
    if (focused) document.getElementById(focused)?.focus();
  }

  function mark(preview) {
    groups.forEach((group, i) => {
      const { role, resembles } = mainOf(group);
      for (const cell of [heads[i].cell, ...$$(`[data-place="${i}"]`, region)])
        cell.dataset.use = role ? "used" : resembles ? "doubt" : "unused";
      heads[i].mark(preview, role);
    });
    const timed = heads[groups.findIndex((group) => mainOf(group).role === "time")];
    const isGuess = preview.report.guesses.some(({ option }) => option === "time_zone");
    isNaive ||= isGuess || !["", "UTC"].includes(zoneOf(preview)); // else every time names its own
    const place = timed && isNaive ? $(".preview__roles", timed.cell) : null;
    if (!place) zone.remove();
    else if (zone.parentElement !== place) place.append(zone); // else it keeps the focus
    $("input", zone).value = zoneOf(preview);
  }

  function turn(/** @type {number} */ by) {
    at = Math.min(Math.max(at + by, 0), Math.max(shown.length - 1, 0));
    $$("tr[data-row]", body).forEach((row, i) => row.toggleAttribute("data-current", i === at));
    const { number, left_out: why, doubt } = shown[at] ?? {};
    return [number ? `line ${whole(number)}` : `row ${at + 1}`, why ? `left out: ${why}` : doubt]
      .filter(Boolean)
      .join(", ");
  }

  return {
    isDrawn: () => key !== "",
    mark,
    turn,
    show(preview) {
      const { columns, editable, kind, rows } = preview;
      groups = groupsOf(columns);
      const wanted = columns.length
        ? JSON.stringify([editable, kind, groups.map((group) => [group.at, mainOf(group).place]), columns.map(titleOf)])
        : "";
      if (wanted && wanted !== key) draw(preview);
      key = wanted;
      if (!wanted) return;
      shown = rows;
      body.replaceChildren(...rows.flatMap((row) => rowsOf(row, groups, zoneOf(preview))));
      groups.forEach(({ at: i, columns: { length } }, place) => {
        const cells = rows.map((row) => row.cells[i]).filter(Boolean);
        const isNumeric =
          length === 1 && cells.length > 0 && cells.every((/** @type {string} */ one) => NUMBER.test(one));
        for (const cell of $$(`[data-place="${place}"]`, region)) cell.toggleAttribute("data-number", isNumeric);
      });
      mark(preview);
      heads.forEach(({ limit }, i) => limit(preview, mainOf(groups[i]).role));
      turn(0);
    },
  };
}

/** Texts beside each other, as the columns of a group are. @param {string[]} texts @param {string} [column] */
const rawOf = (texts, column) =>
  el(
    "div.preview__raw",
    { dataset: column ? { column } : {} },
    texts.map((text) => el("code", { title: text }, text)),
  );

/**
 * A row, and below one that was left out or is doubted the reason.
 *
 * @param {{number: number, cells: string[], read: Record<string, string>, left_out: string, doubt: string}} row
 * @param {Group[]} groups
 * @param {string} zone
 */
function rowsOf({ number, cells, read, left_out: why, doubt }, groups, zone) {
  const ofCounts = groups.filter((group) => mainOf(group).role === "counts");
  const counts = read.counts?.split(", ") ?? [];
  /** @param {Group} group @param {number} i */
  const cell = (group, i) => {
    const raw = cells.slice(group.at, group.at + group.columns.length);
    const { role } = mainOf(group);
    const values = role === "counts" ? counts[ofCounts.indexOf(group)] : readOf(role, raw[0], read, zone);
    return el(
      "td",
      { role: "cell", dataset: { place: i } },
      rawOf(raw, titleIn(group)),
      values && el("strong", values),
    );
  };
  const row = line(th("row", { class: "preview__line" }, number ? whole(number) : ""), ...groups.map(cell));
  row.dataset.row = String(number);
  if (!why && !doubt) return [row];
  const reason = el("td", { role: "cell", colspan: groups.length }, why ? `Left out: ${why}` : doubt);
  const rows = [row, line(el("td", { role: "cell" }), reason)];
  for (const one of rows) one.dataset.kind = why ? "left-out" : "doubt";
  return rows;
}

/** What was read of the cells of a role. @param {string} role @param {string} raw
 * @param {Record<string, string>} read @param {string} zone */
function readOf(role, raw, read, zone) {
  if (role === "geometry" && "lon" in read) return [asRead("lon", read.lon), " ", asRead("lat", read.lat)];
  if (role === "person" && "lon" in read) return raw;
  if (!(role in read)) return "";
  const text = asRead(role, read[role], zone);
  const end = role === "time" ? text.lastIndexOf(" ") : text.length;
  return [text.slice(0, end), end < text.length && el("span.muted", text.slice(end))];
}

/**
 * The head of a group of columns: {cell, mark(preview, role), limit(preview, role)}.
 *
 * @param {Group} group
 * @param {any} preview
 * @param {(preview: any, place: string, role: string, title: string) => void} onChoose
 */
function columnHead(group, preview, onChoose) {
  const [{ place }, title] = [mainOf(group), titleIn(group)];
  const clock = group.columns.length > 1 && group.columns.find(({ role }) => role === "clock");
  const none = el("option", { value: "" });
  const choices = preview.roles.map((/** @type {Role} */ role) => el("option", { value: role.name }, role.label));
  const alone = clock && el("option", { value: "alone" }, `Without ${titleOf(clock)}`);
  const attributes = { class: "input", id: `preview-${place.slice(1)}`, "aria-label": `${title}, read as` };
  const select = el("select", { ...attributes, "aria-describedby": "preview-help" }, none, choices, alone);
  const cell = th("col", {}, el("div.preview__roles", el("span.preview__role", select)));
  const isNeeded = (/** @type {string} */ name) =>
    Boolean(preview.roles.find((/** @type {Role} */ role) => role.name === name)?.needed);
  let shown = preview;
  select.disabled = !preview.editable;
  select.addEventListener("change", () => {
    if (clock && select.value === "alone") onChoose(shown, clock.place, "", titleOf(clock));
    else onChoose(shown, place, select.value, title);
  });
  return {
    cell,
    /** @param {any} now @param {string} role */
    mark(now, role) {
      shown = now;
      const isChoice = choices.some((one) => one.value === role);
      none.textContent = isChoice ? NONE : roleTitle(now, role) || NONE;
      select.value = isChoice ? role : "";
    },
    /** A column of a position only changes places with another. @param {any} now @param {string} role */
    limit(now, role) {
      const isTaken = (/** @type {string} */ name) => now.columns.some((one) => one.role === name);
      none.disabled = isNeeded(role);
      for (const choice of choices) choice.disabled = isNeeded(role) && choice.value !== role && !isTaken(choice.value);
    },
  };
}

/** The field of the zone beside that of the time. @param {(zone: string) => void} onZone */
function zoneField(onZone) {
  const attributes = { class: "input", "aria-label": "Time zone", list: "reread-time_zone-list", autocomplete: "off" };
  const input = el("input", attributes);
  input.addEventListener("change", () => onZone(input.value));
  return el("span.preview__zone", input);
}
