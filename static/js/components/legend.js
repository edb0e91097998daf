/* The list of layers: toggle, colour and dash, typical error, progress, menu; what is whose. */

import { el, svg } from "../core/dom.js";
import { quantity } from "../core/elements.js";
import { metres, whole } from "../core/format.js";
import { titleParts } from "../core/level.js";
import { createState } from "./layer_state.js";
import { iconButton, layerTuning } from "./layer_tuning.js";
import { swatch } from "./swatch.js";

const MARKS = {
  landmarks: () => svg("circle", { cx: 11, cy: 6, r: 5, class: "mark--full" }),
  dummies: () => svg("circle", { cx: 11, cy: 6, r: 3.5, class: "mark--hollow" }),
  zones: () => svg("path", { d: "M2 9.5 5 2l9-.5 6 4-4 5z", class: "mark--zone" }),
  guesses: () => [
    svg("path", { d: "M1.5 2.5h7v7h-7z", class: "mark--true" }),
    svg("path", { d: "M13.5 2.5l7 7m0-7l-7 7", class: "mark--guess" }),
  ],
  simulation: () => [4, 11, 18].map((cx, i) => svg("circle", { cx, cy: 4 + 4 * (i % 2), r: 2, class: "mark--full" })),
  guessed: () => svg("path", { d: "M0 6h22", class: "mark--guess", "stroke-dasharray": "1.5 2.25" }),
};

/** A mark as the map draws it. */
function markOf(kind) {
  const drawn = MARKS[kind]();
  return svg("svg", { class: "mark", viewBox: "0 0 22 12", "aria-hidden": "true" }, drawn);
}

const AIM = "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 6.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3";

/** "Skip · ε 1 / 200 m": the name; its level is read with it, and seen among the facts. */
function titleNodes(title) {
  const [name, level] = titleParts(title);
  return level ? [name, el("span", { class: "visually-hidden" }, ` · ${level}`)] : [name];
}

function makeRow(entry, on, lineStyles) {
  const { id, owner } = entry;
  const box = el("input", { type: "checkbox", onchange: () => on.toggle(id, box.checked) });
  const title = owner
    ? el("span", { class: "layer__title" })
    : el("button", { class: "bare layer__title", type: "button", onclick: () => on.solo(id) });
  const sample = el("span", { class: "layer__sample" });
  const error = el("span", { class: "layer__error" });
  const facts = el("p", { class: "layer__facts small muted" });
  const cursorText = el("p", { class: "layer__here small clip" });
  const state = createState(id, on);
  const aim = owner ? null : iconButton(AIM, { onclick: () => on.activate(id) });
  const tune = layerTuning(id, entry.mark, on, owner ? null : lineStyles);
  const menu = owner || !on.menu ? null : on.menu(id);
  const item = el(
    "li",
    { class: "layer", dataset: { layer: id } },
    el(
      "div",
      { class: "layer__name line" },
      el("label", { class: "layer__check line" }, box, sample, owner && title),
      !owner && title,
    ),
    error,
    facts,
    el("span", { class: "layer__buttons" }, aim, tune.open, menu),
    tune.panel,
    cursorText,
    state.element,
  );
  return { item, box, sample, title, error, facts, cursorText, state, aim, tune, menu };
}

function fillRow(row, entry) {
  const done = entry.owner || entry.state === "done";
  row.item.classList.toggle("layer--active", Boolean(entry.active));
  row.item.classList.toggle("layer--waiting", !done);
  row.item.classList.toggle("layer--hidden", !entry.visible);
  row.box.checked = done && entry.visible;
  row.box.disabled = !done;
  if (row.title.textContent !== entry.title) row.title.replaceChildren(...titleNodes(entry.title));
  if (!entry.owner) {
    row.box.setAttribute("aria-label", entry.title);
    row.title.disabled = !done;
    row.title.setAttribute("aria-pressed", String(Boolean(entry.alone)));
    row.title.title = entry.alone ? "Show what was shown before" : "Show this release and the original alone";
  }
  const line = entry.mark ?? entry.lineStyle;
  if (row.line !== line) row.sample.replaceChildren(entry.mark ? markOf(entry.mark) : swatch(entry.lineStyle));
  row.line = line;
  row.tune.fill(entry);
  row.tune.open.hidden = !done;
  if (row.menu) row.menu.hidden = !done;
  row.item.classList.toggle("layer--owner", Boolean(entry.owner));
  const error = (entry.error_m ?? null) === null ? "" : quantity(`median_error_m:${entry.id}`, metres(entry.error_m));
  row.error.replaceChildren(entry.count === undefined ? error : quantity(`count:${entry.id}`, whole(entry.count)));
  const level = titleParts(entry.title)[1]?.replaceAll(" ", "\u00a0");
  row.facts.textContent = [entry.facts, level].filter(Boolean).join(" · ");
  row.cursorText.textContent = entry.cursorText ?? "";
  if (row.aim) {
    row.aim.hidden = !done;
    row.aim.setAttribute("aria-pressed", String(Boolean(entry.active)));
    row.aim.setAttribute("aria-label", `Noise and guarantee of ${entry.title}`);
  }
  row.state.fill(entry);
}

/** Scroll the rail around `item`, if it scrolls, until `item` is in sight. @param {HTMLElement} item */
function reveal(item) {
  const rail = item.closest(".rail");
  if (!rail || rail.scrollHeight <= rail.clientHeight) return;
  const below = item.getBoundingClientRect().bottom - rail.getBoundingClientRect().bottom;
  if (below > 0) rail.scrollTop += below;
}

/**
 * A legend in the list element `host`. Entries: {id, title, facts, lineStyle, error_m, state, queue, stage, progress,
 * eta, reason, private, visible, owner, here, active, alone, opacity, place: {first, last}}; of a mark above the lines
 * also {mark, count}. `on`: {toggle(id, shown), solo(id), activate(id), cancel(id), retry(id), opacity(id, share),
 * move(id, by), lineStyle(id, index), and perhaps menu(id), the menu of a release}; `lineStyles` are the lines a
 * release may be given.
 * `update(entries)` changes what differs and keeps focus where it is; the first release that is shown is scrolled to.
 */
export function createLegend(host, on, /** @type {LineStyle[] | null} */ lineStyles = null) {
  const rows = new Map();
  let opened = false;

  return {
    update(entries) {
      for (const [id, row] of rows) {
        if (entries.some((entry) => entry.id === id)) continue;
        row.item.remove();
        rows.delete(id);
      }
      for (const [i, entry] of entries.entries()) {
        if (!rows.has(entry.id)) rows.set(entry.id, makeRow(entry, on, lineStyles));
        const { item } = rows.get(entry.id);
        const focused = item.contains(document.activeElement) ? document.activeElement : null;
        if (host.children[i] !== item) host.insertBefore(item, host.children[i] ?? null);
        focused?.focus({ preventScroll: true }); // a moved element loses it
        fillRow(rows.get(entry.id), entry);
      }
      const first = opened ? null : entries.find((one) => !one.owner && one.visible && one.error_m !== undefined);
      if (!first) return;
      opened = true;
      reveal(rows.get(first.id).item);
    },
  };
}
