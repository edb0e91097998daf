/* The comparison of a count stream with its releases: what the reader does changes the state, then plots are drawn. */

import { $, $$, announce, data, el } from "../core/dom.js";
import { watchPressed } from "../core/elements.js";
import { count } from "../core/format.js";
import { onTheme } from "../core/series_style.js";
import { createLargeView } from "../charts/enlarge.js";
import { createProblemBox } from "../components/problem_box.js";
import { watchReleases } from "../components/job_status.js";
import { createBrush } from "../components/timeline_brush.js";
import { createAxis, createBudgetPlot, createLanes } from "../stream/lanes.js";
import { createComparisonData } from "../stream/comparison_data.js";
import * as plots from "../stream/comparison_plots.js";
import { reserveValues, showPromise } from "../stream/comparison_text.js";
import { watchDetection } from "../stream/detection.js";
import { createDimensionList, ordered, watchReleaseTable } from "../stream/comparison_tables.js";
import { addDownloads } from "../stream/downloads.js";
import { showBest } from "../stream/error_text.js";
import { createHeatMap } from "../stream/heat_map.js";
import { plotScale } from "../stream/plot_scale.js";
import { createSmallMultiples } from "../stream/small_multiples.js";
import { MOST_PINNED, restoreViewState } from "../stream/view_state.js";

/** @typedef {plots.Bench["state"]["cell"]} Cell */

const PINNED = 6; // at first
const page = data("page-data");

/** @returns {plots.Bench["state"]} */
function initialState() {
  const { names, totals } = page.dimensions;
  const requested = new URLSearchParams(location.search).get("release");
  const order = ordered({ names, totals, errors: totals }, "", { key: "total", descending: true });
  const visible = page.releases.filter((one) => one.visible || one.id === requested);
  const columns = page.axis.labels.length;
  return {
    view: "release",
    shown: page.releases.find((one) => one.id === requested) ?? visible[0] ?? page.releases[0],
    visible: new Set(["truth", ...visible.map((one) => one.id)]),
    pinned: order.slice(0, PINNED),
    search: "",
    sorting: { key: "total", descending: true },
    order,
    cell: { dimension: order[0], column: columns - 1 },
    range: [0, columns],
    common: false,
  };
}

const problem = createProblemBox($("[data-problem]"));
let store = () => {}; // the state in the address, from when it is known

/** @param {plots.Bench} bench @param {Cell} cell */
function select(bench, cell) {
  const { state, parts } = bench;
  const other = cell.dimension !== state.cell.dimension;
  state.cell = cell;
  parts.heat.mark(cell);
  plots.moveHair(bench);
  plots.showValues(bench);
  plots.drawBudget(bench);
  plots.drawMultiples(bench);
  plots.drawMap(bench);
  store();
  if (!other) return;
  parts.list.mark(cell.dimension, state.pinned);
  problem.attempt(() => plots.drawLanes(bench));
}

/** @param {plots.Bench} bench @param {number} dimension @param {boolean} on */
function pin(bench, dimension, on) {
  const { state, parts } = bench;
  const full = on && state.pinned.length >= MOST_PINNED;
  $("[data-pin-limit]").hidden = !full;
  if (full) announce($("[data-pin-limit]").textContent);
  else {
    state.pinned = on ? [...state.pinned, dimension] : state.pinned.filter((one) => one !== dimension);
    announce(`${page.dimensions.names[dimension]} is ${on ? "pinned" : "no longer pinned"}.`);
  }
  parts.list.mark(state.cell.dimension, state.pinned);
  plots.drawMultiples(bench);
  plots.drawHeat(bench);
  store();
}

/** @param {plots.Bench} bench @param {import("../stream/comparison_tables.js").Key} key */
function sort(bench, key) {
  const { sorting } = bench.state;
  const descending = sorting.key === key ? !sorting.descending : key !== "name";
  bench.state.sorting = { key, descending };
  drawList(bench);
  plots.drawHeat(bench);
  store();
  announce(`Dimensions are sorted by ${key}, ${descending ? "the largest first" : "the smallest first"}.`);
}

/** @param {plots.Bench} bench */
function drawList({ known, state, parts }) {
  const { names, totals } = page.dimensions;
  const errors = known.comparisonOf(state.shown.id)?.dimensions.relative_error ?? names.map(() => null);
  state.order = ordered({ names, totals, errors }, state.search, state.sorting);
  const { order, sorting, pinned, cell } = state;
  parts.list.draw({ order, names, totals, errors, pinned, selected: cell.dimension, sorting });
}

/** Load and draw what the heat map shows. @param {plots.Bench} bench */
const load = (bench) =>
  problem.attempt(async () => {
    const { known, state, parts } = bench;
    await known.load(state.shown.id);
    drawList(bench);
    showPromise(state.shown);
    parts.heat.mark(state.cell);
    parts.brush.set([state.range[0], state.range[1]]);
    const drawn = plots.drawPlots(bench);
    reserveValues($("[data-values]"), { axis: page.axis, largest: known.shades(false).limit });
    plots.showValues(bench);
    await drawn;
  });

/** @param {plots.Bench} bench @param {string} id @param {boolean} visible */
function toggleLine(bench, id, visible) {
  if (visible) bench.state.visible.add(id);
  else bench.state.visible.delete(id);
  store();
  return problem.attempt(async () => {
    if (visible && id !== "truth") await bench.known.load(id);
    plots.drawMultiples(bench);
    plots.drawBudget(bench);
    plots.showValues(bench);
    await plots.drawLanes(bench);
  });
}

/** @param {plots.Bench} bench */
async function createParts(bench) {
  const mapped = page.grid ? await import("../stream/count_map.js") : null; // only then is there a map library
  const selectDimension = (/** @type {number} */ dimension) => select(bench, { ...bench.state.cell, dimension });
  const [hair, ...edges] = ["plots__hair", "plots__edge", "plots__edge"].map((name) =>
    el("div", { class: name, hidden: true }),
  );
  $("[data-plots]").append(hair, ...edges);
  const isPinned = (/** @type {number} */ dimension) => bench.state.pinned.includes(dimension);
  $("[data-pin-limit]").textContent = `At most ${MOST_PINNED} dimensions can be pinned: unpin one first.`;
  return {
    hair,
    edges,
    heat: createHeatMap($("[data-heat]"), {
      select: (cell) => select(bench, cell),
      hover: (cell) => plots.showValues(bench, cell),
      pin: ({ dimension }) => pin(bench, dimension, !isPinned(dimension)),
    }),
    lanes: createLanes($("[data-lanes]")),
    budget: createBudgetPlot($("[data-budget]")),
    axis: createAxis($("[data-axis]")),
    brush: createBrush(brushScale(bench), (range) => {
      bench.state.range = range ?? [0, bench.scale.columns];
      store();
      plots.drawRange(bench);
      plots.drawMultiples(bench);
    }),
    multiples: createSmallMultiples($("[data-multiples]"), {
      select: selectDimension,
      unpin: (dimension) => pin(bench, dimension, false),
      enlarge: (dimension, button) => problem.attempt(() => plots.enlargeDimension(bench, dimension, button)),
    }),
    map: mapped?.createCountMap(page.grid, page.axis, mapListeners(bench)),
    list: createDimensionList($("[data-dimension-list]"), {
      select: selectDimension,
      pin: (dimension, on) => pin(bench, dimension, on),
      sort: (key) => sort(bench, key),
    }),
  };
}

/** @param {plots.Bench} bench */
const brushScale = (bench) => ({
  strip: $("[data-axis]"),
  row: $("[data-axis-row]"),
  place: (/** @type {number} */ column) => bench.scale.middleOf(column) - bench.scale.left,
  eventAt: (/** @type {number} */ x) => bench.scale.columnAt(x + bench.scale.left),
  count: () => bench.scale.columns,
  label: (/** @type {number} */ column) => page.axis.labels[column],
  bound: (/** @type {number} */ first, /** @type {number} */ last) => bench.parts.map?.bound(first, last),
  item: "timestamp",
});

/** @param {plots.Bench} bench */
const mapListeners = (bench) => ({
  at: () => bench.state.cell.column,
  selectColumn: (/** @type {number} */ column) => select(bench, { ...bench.state.cell, column }),
  selectCell: (/** @type {number} */ dimension) => select(bench, { ...bench.state.cell, dimension }),
});

/** @param {plots.Bench} bench */
function watchControls(bench) {
  const { state } = bench;
  const pressView = watchPressed("view", (view) => {
    state.view = view;
    plots.drawHeat(bench);
    store();
  });
  pressView(state.view);
  const pressScale = watchPressed("scale", (scale) => {
    state.common = scale === "common";
    plots.drawMultiples(bench);
    store();
  });
  pressScale(state.common ? "common" : "own");
  $("[data-search]").value = state.search;
  $("[data-search]").addEventListener("input", (event) => {
    state.search = event.target.value;
    drawList(bench);
    plots.drawHeat(bench);
    store();
    announce(`${count(state.order.length, "dimension")} found.`);
  });
  $("[data-shown]").value = state.shown.id;
  $("[data-shown]").addEventListener("change", (event) => {
    state.shown = page.releases.find((one) => one.id === event.target.value);
    store();
    return load(bench);
  });
  showBest(page);
  for (const box of $$("[data-line]")) box.checked = state.visible.has(box.dataset.line);
  const zeros = Object.fromEntries(page.columns.map(({ name }) => [name, page.zeros[name] ?? null]));
  const table = { rows: [...page.releases, { id: "zeros", figures: zeros }], columns: page.columns };
  watchReleaseTable(table, { toggle: (id, visible) => toggleLine(bench, id, visible) });
  const { known, parts } = bench;
  const visible = () => plots.lines(bench);
  watchDetection($("[data-detection]"), { visible, threshold: known.typicalCount, timestamps: page.axis.timestamps });
  addDownloads({ page, known, state, lines: visible, canvases: parts });
  addLargeView();
}

/** The heat map and the plots below it, in a large view. */
function addLargeView() {
  const section = $("[data-heat]").closest("section");
  const { button, dialog, name } = createLargeView(section, { more: "stack" });
  name("Counts of all dimensions");
  section.append(dialog);
  $("[data-heat-menu]").before(button);
}

/** The live stream of the same dimensions, where there is one. */
async function watchLive() {
  const card = $("[data-live-card]");
  if (!card) return;
  const { watchLiveCard } = await import("../stream/live_feed.js");
  watchLiveCard(card, problem.attempt);
}

/** Draw again in another theme and in another width. @param {plots.Bench} bench */
function watchSize(bench) {
  onTheme(() => plots.drawPlots(bench));
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width && Math.abs(contentRect.width - bench.scale.width) >= 1) plots.drawPlots(bench);
  }).observe($("[data-plots]"));
}

async function start() {
  const root = $("[data-streams]");
  const scale = plotScale(page.axis.labels.length, $("[data-plots]").clientWidth);
  /** @type {plots.Bench} */
  const bench = { page, known: createComparisonData(page), state: initialState(), scale, parts: null };
  const { length: dimensions } = page.dimensions.names;
  const changed = restoreViewState(bench.state, {
    releases: page.releases,
    dimensions,
    columns: page.axis.labels.length,
  });
  bench.parts = await createParts(bench);
  watchControls(bench);
  await load(bench);
  store = changed;
  root.removeAttribute("aria-busy");
  root.dataset.ready = "shown";
  performance.mark("cairn:interactive");
  const others = [...bench.state.visible].filter((id) => id !== "truth");
  await problem.attempt(() => Promise.all(others.map(bench.known.load)));
  await plots.drawPlots(bench);
  plots.showValues(bench);
  watchSize(bench);
  await watchLive();
  root.dataset.ready = "all";
}

watchReleases();
if (page?.releases.length) await start();
