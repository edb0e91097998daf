/* The list of layers: toggle, colour and dash, mean error, progress; what is whose. */

import { el, svg } from "../core/dom.js";
import { capitalized, metres, percent, queued, whole } from "../core/format.js";
import { dashLengths } from "../core/series_style.js";

const SMALL_DASHES = (name) =>
  dashLengths(name)
    .map((length) => length * 0.75)
    .join(" ");

/**
 * A line as the map and the charts draw it; `lineStyle` is {index, dash} of the palette (-1: muted), or null for the
 * original.
 */
export function swatch(lineStyle) {
  const path = svg("path", { d: "M0 5h22", "stroke-dasharray": lineStyle ? SMALL_DASHES(lineStyle.dash) : null });
  return svg(
    "svg",
    {
      class: "swatch",
      viewBox: "0 0 22 10",
      "aria-hidden": "true",
      "data-colour": lineStyle ? (lineStyle.index % 6) + 1 : null,
    },
    path,
  );
}

const MARKS = {
  landmarks: () => svg("circle", { cx: 11, cy: 6, r: 5, class: "mark--full" }),
  dummies: () => svg("circle", { cx: 11, cy: 6, r: 3.5, class: "mark--hollow" }),
  zones: () => svg("path", { d: "M2 9.5 5 2l9-.5 6 4-4 5z", class: "mark--zone" }),
  guesses: () => [
    svg("path", { d: "M1.5 2.5h7v7h-7z", class: "mark--true" }),
    svg("path", { d: "M13.5 2.5l7 7m0-7l-7 7", class: "mark--guess" }),
  ],
  guessed: () => svg("path", { d: "M0 6h22", class: "mark--guess", "stroke-dasharray": SMALL_DASHES("dot") }),
};

/** A mark as the map draws it. */
function markOf(kind) {
  const drawn = MARKS[kind]();
  return svg("svg", { class: "mark", viewBox: "0 0 22 12", "aria-hidden": "true" }, drawn);
}

const AIM = () => [svg("circle", { cx: 8, cy: 8, r: 5.5 }), svg("circle", { cx: 8, cy: 8, r: 1.5 })];
const TUNE = () => [
  svg("path", { d: "M2 5h7M13 5h1M2 11h1M7 11h7" }),
  svg("circle", { cx: 11, cy: 5, r: 2 }),
  svg("circle", { cx: 5, cy: 11, r: 2 }),
];
const UP = "M8 13V3.5M4 7.5l4-4 4 4";
const DOWN = "M8 3v9.5M4 8.5l4 4 4-4";

function iconButton(shapes, attributes) {
  return el(
    "button",
    { class: "layer__aim", type: "button", ...attributes },
    svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, shapes),
  );
}

const COLOURS = ["orange", "blue", "green", "pink", "sky blue", "vermilion"];

/** The palette's lines to choose from: as many radio inputs that look like what they give. */
function lineChoice(id, lineStyles, choose) {
  const inputs = lineStyles.map((lineStyle) =>
    el("input", {
      type: "radio",
      name: `line-${id}`,
      "aria-label": `${COLOURS[lineStyle.index % COLOURS.length]}, ${lineStyle.dash}`,
      onchange: () => choose(id, lineStyle.index),
    }),
  );
  const legend = el("legend", { class: "visually-hidden" });
  const element = el(
    "fieldset",
    { class: "layer__lines" },
    legend,
    inputs.map((input, i) => el("label", { title: input.ariaLabel }, input, swatch(lineStyles[i]))),
  );
  return {
    element,
    fill({ title, lineStyle }) {
      legend.textContent = `Line of ${title}`;
      inputs.forEach((input, i) => (input.checked = lineStyles[i].index === lineStyle.index));
    },
  };
}

/** The opacity, the place and the line of a layer, behind a button. */
function tuning(id, kind, on, lineStyles) {
  const slider = el("input", {
    type: "range",
    class: "layer__opacity",
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
      ].map(([d, by, action]) => ({ action, button: iconButton(svg("path", { d }), { onclick: go(by) }) }));
  const lines = lineStyles && lineChoice(id, lineStyles, on.lineStyle);
  const panel = el(
    "div",
    { class: "layer__tuning small", hidden: true },
    slider,
    orderButtons.map(({ button }) => button),
    lines?.element,
  );
  const open = iconButton(TUNE(), {
    "aria-expanded": "false",
    onclick() {
      panel.hidden = !panel.hidden;
      open.setAttribute("aria-expanded", String(!panel.hidden));
    },
  });
  return {
    open,
    panel,
    fill({ title, opacity = 1, place, lineStyle }) {
      if (lineStyle) lines?.fill({ title, lineStyle });
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

/**
 * A legend in the list element `host`. Entries: {id, title, facts, lineStyle, error_m, state, stage, progress, eta,
 * reason, private, visible, owner, here, active, opacity, place: {first, last}}; of a mark above the lines also {mark,
 * count}. `on`: {toggle(id, shown), activate(id), cancel(id), retry(id), opacity(id, share), move(id, by), line(id,
 * index)}; `lineStyles` are the lines a release may be given, {index, colour, dash, marker}.
 * `update(entries)` changes what differs and keeps focus where it is.
 */
export function createLegend(host, on, /** @type {LineStyle[] | null} */ lineStyles = null) {
  const rows = new Map();

  function make(entry) {
    const { id, owner } = entry;
    const box = el("input", { type: "checkbox", onchange: () => on.toggle(id, box.checked) });
    const title = el("span", { class: "layer__title" });
    const sample = el("span", { class: "layer__sample" });
    const error = el("span", { class: "layer__error" });
    const facts = el("p", { class: "layer__facts small muted" });
    const cursorText = el("p", { class: "layer__here small" });
    const state = createState(id, on);
    const aim = owner ? null : iconButton(AIM(), { onclick: () => on.activate(id) });
    const tune = tuning(id, entry.mark, on, owner ? null : lineStyles);
    const item = el(
      "li",
      { class: "layer", dataset: { layer: id } },
      el("label", { class: "layer__name" }, box, sample, title),
      error,
      facts,
      el("span", { class: "layer__buttons" }, aim, tune.open),
      tune.panel,
      cursorText,
      state.element,
    );
    return { item, box, sample, title, error, facts, cursorText, state, aim, tune };
  }

  function fill(row, entry) {
    const done = entry.owner || entry.state === "done";
    row.item.classList.toggle("layer--active", Boolean(entry.active));
    row.item.classList.toggle("layer--waiting", !done);
    row.box.checked = done && entry.visible;
    row.box.disabled = !done;
    row.title.textContent = entry.title;
    const line = entry.mark ?? entry.lineStyle?.index ?? "";
    if (row.line !== line) row.sample.replaceChildren(entry.mark ? markOf(entry.mark) : swatch(entry.lineStyle));
    row.line = line;
    row.tune.fill(entry);
    row.tune.open.hidden = !done;
    row.item.classList.toggle("layer--owner", Boolean(entry.owner));
    row.error.textContent =
      entry.count !== undefined
        ? whole(entry.count)
        : entry.error_m === null || entry.error_m === undefined
          ? ""
          : metres(entry.error_m);
    row.facts.textContent = entry.facts;
    row.cursorText.textContent = entry.cursorText ?? "";
    if (row.aim) {
      row.aim.hidden = !done;
      row.aim.setAttribute("aria-pressed", String(Boolean(entry.active)));
      row.aim.setAttribute("aria-label", `Noise and guarantee of ${entry.title}`);
    }
    row.state.fill(entry);
  }

  return {
    update(entries) {
      for (const [id, row] of rows) {
        if (entries.some((entry) => entry.id === id)) continue;
        row.item.remove();
        rows.delete(id);
      }
      for (const [i, entry] of entries.entries()) {
        if (!rows.has(entry.id)) rows.set(entry.id, make(entry));
        const { item } = rows.get(entry.id);
        const focused = item.contains(document.activeElement) ? document.activeElement : null;
        if (host.children[i] !== item) host.insertBefore(item, host.children[i] ?? null);
        focused?.focus({ preventScroll: true }); // a moved element loses it
        fill(rows.get(entry.id), entry);
      }
    },
  };
}

const runningText = ({ stage, progress, eta }) =>
  `${stage || "Running"} · ${percent(progress, 2)}${eta ? ` · ${eta} left` : ""}`;

/** What each state shows and what can be done about it; one that is not here shows nothing. */
const STATES = {
  reading: { text: () => "Loading the events …" },
  queued: { text: ({ place }) => capitalized(queued(place)), act: "cancel", bar: "waits" },
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
  const [chip, text] = [el("strong", { class: "chip chip--strong" }, "NOT PRIVATE: seeded"), el("span")];
  const bar = el("progress", { class: "progress", max: 1 });
  const button = el("button", { class: "button button--small", type: "button", onclick: press });
  const element = el("div", { class: "layer__state small" }, chip, text, button, bar);
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
