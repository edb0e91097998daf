/* The list of layers: toggle, colour and dash, typical error, menu; how a layer is drawn; the job of one to come. */

import { el, svg } from "../core/dom.js";
import { icon, quantity } from "../core/elements.js";
import { swatch } from "../core/swatch.js";
import { capitalized, metres, percent, queued, whole } from "../core/format.js";
import { titleParts } from "../core/level.js";
import { DRAWINGS } from "../map/track_drawing.js";

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
  return level ? [name, el("span.visually-hidden", ` · ${level}`)] : [name];
}

function makeRow(entry, on, lineStyles) {
  const { id, owner } = entry;
  const box = el("input", { type: "checkbox", onchange: () => on.toggle(id, box.checked) });
  const title = owner ? el("span.layer__title") : el("button.bare.layer__title", { onclick: () => on.solo(id) });
  const sample = el("span.layer__sample");
  const error = el("span.layer__error");
  const facts = el("p.layer__facts.small.muted");
  const cursorText = el("p.layer__here.small.clip");
  const state = createState(id, on);
  const aim = owner ? null : iconButton(AIM, { onclick: () => on.activate(id) });
  const tune = layerTuning(id, entry.mark, on, owner ? null : lineStyles);
  const menu = owner || !on.menu ? null : on.menu(id);
  const item = el(
    "li.layer",
    { dataset: { layer: id } },
    el("div.layer__name.line", el("label.layer__check.line", box, sample, owner && title), !owner && title),
    error,
    facts,
    el("span.layer__buttons", aim, tune.open, menu),
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

const runningText = ({ stage, progress, eta }) =>
  `${stage || "Running"} · ${percent(progress, 2)}${eta ? ` · ${eta} left` : ""}`;

/** What each state shows and what can be done about it; one that is not here shows nothing. */
const STATES = {
  reading: { text: () => "Loading the events …" },
  queued: { text: ({ queue }) => capitalized(queued(queue)), act: "cancel", bar: "waits" },
  running: { text: runningText, act: "cancel", bar: "runs" },
  failed: { text: ({ reason }) => `Failed: ${reason}`, act: "retry" },
  cancelled: { text: () => "Cancelled", act: "retry" },
};
const ACTS = { cancel: "Cancel", retry: "Retry" };

/**
 * What a layer that is not drawn yet is about. Its parts are made once and filled again and again: a button that a
 * finger is on stays the same element when a worker takes the job, and shows at once that it was pressed.
 */
function createState(id, on) {
  const [chip, text] = [el("strong.chip.chip--strong", "NOT PRIVATE: seeded"), el("span")];
  const bar = el("progress.progress", { max: 1 });
  const button = el("button.button.button--small", { onclick: press });
  const element = el("div.layer__state.small", chip, text, button, bar);
  /** @type {any[]} */
  let [act, sent] = [null, false];

  async function press() {
    sent = button.disabled = true;
    await on[act](id);
    sent = button.disabled = false;
  }

  function fill(entry) {
    const { text: stateText, act: next = null, bar: what } = (!entry.owner && STATES[entry.state]) || {};
    act = next;
    chip.hidden = Boolean(entry.private);
    text.textContent = stateText ? stateText(entry) : "";
    text.hidden = !stateText;
    button.hidden = !act;
    button.disabled = sent;
    if (act) {
      button.textContent = ACTS[act];
      button.setAttribute("aria-label", `${ACTS[act]} ${entry.title}`);
    }
    bar.hidden = !what;
    if (what) bar.setAttribute("aria-label", `${entry.title} ${what}`);
    if (entry.state === "running") bar.value = entry.progress;
    else bar.removeAttribute("value");
    element.hidden = chip.hidden && !stateText;
  }

  return { element, fill };
}

const CIRCLES = "M11 3a2 2 0 1 0 0 4a2 2 0 1 0 0-4M5 9a2 2 0 1 0 0 4a2 2 0 1 0 0-4";
const TUNE = `M2 5h7M13 5h1M2 11h1M7 11h7${CIRCLES}`;
const UP = "M8 13V3.5M4 7.5l4-4 4 4";
const DOWN = "M8 3v9.5M4 8.5l4 4 4-4";

/** A button with the icon of that path. */
const iconButton = (path, attributes) => el("button", { class: "layer__aim", ...attributes }, icon(path));

/** The palette's lines to choose from: as many radio inputs that look like what they give. */
function lineChoice(id, lineStyles, choose) {
  const inputs = lineStyles.map((lineStyle, index) =>
    el("input", {
      type: "radio",
      name: `line-${id}`,
      "aria-label": `${lineStyle.colour.name}, ${lineStyle.pattern}`,
      onchange: () => choose(id, index),
    }),
  );
  const legend = el("legend.visually-hidden");
  const element = el(
    "fieldset.layer__lines",
    legend,
    inputs.map((input, i) => el("label", { title: input.ariaLabel }, input, swatch(lineStyles[i]))),
  );
  return {
    element,
    fill({ title, lineStyle }) {
      legend.textContent = `Line of ${title}`;
      inputs.forEach((input, i) => (input.checked = lineStyles[i] === lineStyle));
    },
  };
}

/** The opacity, the place and the line of a layer, behind a button. */
function layerTuning(id, kind, on, lineStyles) {
  const slider = el("input.layer__opacity.grow", {
    type: "range",
    min: "5",
    max: "100",
    step: "5",
    oninput: () => on.opacity(id, Number(slider.value) / 100),
  });
  const go = (by) => (event) => event.currentTarget.ariaDisabled !== "true" && on.move(id, by);
  const orderButtons = kind
    ? []
    : [
        [UP, -1, "Raise"],
        [DOWN, 1, "Lower"],
      ].map(([d, by, action]) => ({ action, button: iconButton(d, { onclick: go(by) }) }));
  const lines = lineStyles && lineChoice(id, lineStyles, on.lineStyle);
  const drawing = lineStyles && drawingChoice(id, on.drawing);
  const panel = el(
    "div.layer__tuning.line.small",
    { hidden: true },
    slider,
    orderButtons.map(({ button }) => button),
    lines?.element,
    drawing?.element,
  );
  const open = iconButton(TUNE, {
    "aria-expanded": "false",
    onclick() {
      panel.hidden = !panel.hidden;
      open.setAttribute("aria-expanded", String(!panel.hidden));
    },
  });
  return {
    open,
    panel,
    fill(entry) {
      const { title, opacity = 1, place, lineStyle } = entry;
      if (lineStyle) lines?.fill({ title, lineStyle });
      drawing?.fill(entry);
      slider.value = String(Math.round(opacity * 100));
      slider.setAttribute("aria-label", `Opacity of ${title}`);
      slider.setAttribute("aria-valuetext", `${Math.round(opacity * 100)} %`);
      open.setAttribute(
        "aria-label",
        `${kind ? "Opacity" : lineStyles ? "Line, opacity and order" : "Opacity and order"} of ${title}`,
      );
      for (const [i, { action, button }] of orderButtons.entries()) {
        button.setAttribute("aria-label", `${action} ${title}`);
        button.ariaDisabled = String(i ? place?.last : place?.first);
      }
    },
  };
}

const AUTOMATIC = "Automatic";

/** A labelled select for the layer `id`; `choose(id, drawing)`. `fill` takes {title, drawing: {chosen, drawing}}. */
function drawingChoice(id, choose) {
  const automatic = el("option", { value: "auto" }, AUTOMATIC);
  const select = el(
    "select.input",
    { onchange: () => choose(id, select.value) },
    automatic,
    DRAWINGS.map(([value, text]) => el("option", { value }, text)),
  );
  return {
    element: el("label.layer__drawing.compact.line.muted", el("span", "Draw as"), select),
    fill({ title, drawing }) {
      const text = DRAWINGS.find(([value]) => value === drawing?.drawing)?.[1].toLowerCase();
      automatic.textContent = text && drawing.chosen === "auto" ? `${AUTOMATIC}: ${text}` : AUTOMATIC;
      select.value = drawing?.chosen ?? "auto";
      select.setAttribute("aria-label", `Draw ${title} as`);
    },
  };
}
