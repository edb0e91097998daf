/* The plots of a comparison, each drawn from its state: heat map, lanes, budget, axis, small charts. */

import { $ } from "../core/dom.js";
import { count, whole } from "../core/format.js";
import { plotScale } from "./plot_scale.js";
import * as text from "./comparison_text.js";

/**
 * What the functions below draw: `parts` are the plots, `state` what the reader chose, `scale` is measured by
 * drawPlots.
 *
 * @typedef {{
 *   page: any,
 *   known: ReturnType<typeof import("./comparison_data.js").createComparisonData>,
 *   state: {view: string, shown: any, visible: Set<string>, pinned: number[], order: number[],
 *     cell: {dimension: number, column: number}, range: [number, number], common: boolean, search: string,
 *     sorting: import("./comparison_tables.js").Sorting},
 *   scale: PlotScale,
 *   parts: any,
 * }} Bench
 */

/** The releases whose lines are visible. @param {Bench} bench */
export const lines = ({ known, state }) => known.visibleReleases(state);

/** @param {Bench} bench */
export function drawHeat(bench) {
  const { page, known, state, scale, parts } = bench;
  const signed = state.view === "difference";
  const cells = known.cellsOf(state.view, state.shown.id);
  if (!cells) return;
  const { names } = page.dimensions;
  const shades = known.shades(signed);
  parts.heat.draw({ cells, order: state.order, signed, shades, named: state.pinned, names }, scale);
  text.showLegend($("[data-legend]"), signed, shades);
  $("[data-columns]").textContent = text.columnsText(page.axis, state.order.length, parts.heat.rows(), signed);
  const all = state.order.length === names.length;
  const title = all ? "All dimensions" : `${count(state.order.length, "dimension")} of ${whole(names.length)}`;
  $("[data-heat-title]").textContent = title;
  drawMap(bench);
}

/** The map of counted cells, where there is one. @param {Bench} bench */
export function drawMap({ page, known, state, parts }) {
  const signed = state.view === "difference";
  const cells = known.cellsOf(state.view, state.shown.id);
  if (!parts.map || !cells) return;
  const { column, dimension: selected } = state.cell;
  parts.map.draw({ cells, column, shades: known.shades(signed), signed, selected, label: page.axis.labels[column] });
}

/** @param {Bench} bench */
export async function drawLanes(bench) {
  const { page, known, state, parts } = bench;
  const { dimension } = state.cell;
  $("[data-lanes-title]").textContent = `${page.dimensions.names[dimension]}: when values change`;
  const groupings = await known.groupings(lines(bench), dimension);
  if (dimension !== state.cell.dimension) return; // another one was selected meanwhile
  const { brief: name, style, id } = state.shown;
  const spending = { name, colour: style.colour, budgets: known.comparisonOf(id)?.budgets ?? [] };
  parts.lanes.draw(spending, groupings, bench.scale);
}

/** @param {Bench} bench */
export function drawBudget(bench) {
  const { page, known, state, scale, parts } = bench;
  const { epsilon, window: size, brief, id: shown } = state.shown;
  const common = lines(bench).every((one) => one.window === size);
  const window = common ? `the last ${count(size, "timestamp")}` : "each release’s window";
  $("[data-budget-title]").textContent = `Budget spent in ${window}, ε`;
  $("[data-budget-note]").textContent = text.budgetNote(known, state.shown, lines(bench));
  const spent = lines(bench).map(({ id, title: name, style }) => {
    return { id, name, style, spent: known.comparisonOf(id)?.window_spent ?? [] };
  });
  const selected = text.windowAt(page.axis, known.comparisonOf(shown), size, state.cell.column, brief);
  parts.budget.draw({ lines: spent, epsilon, window: selected }, scale);
}

/** @param {Bench} bench */
export function drawMultiples(bench) {
  const { page, known, state, parts } = bench;
  const { pinned, range, common, cell } = state;
  const { names } = page.dimensions;
  const truth = state.visible.has("truth") ? [known.lineOfTruth()] : [];
  const shown = [...known.linesOf(lines(bench)), ...truth]; // the thin line above the others
  text.showLineKey($("[data-line-key]"), shown);
  $("[data-pinned-range]").textContent = text.rangeText(page.axis, range);
  $("[data-pinned-count]").textContent = `${pinned.length} of ${whole(names.length)} pinned`;
  const errors = known.comparisonOf(state.shown.id);
  const notes = pinned.map((dimension) => text.errorNote(errors, dimension));
  const about = { names: pinned.map((dimension) => names[dimension]), notes };
  parts.multiples.draw({
    dimensions: pinned,
    lines: shown,
    axis: page.axis,
    range,
    common,
    column: cell.column,
    ...about,
  });
}

/** A pinned dimension in a large view. @param {Bench} bench @param {number} dimension @param {HTMLElement} button */
export async function enlargeDimension(bench, dimension, button) {
  const { page, known, state } = bench;
  const { openLargeChart } = await import("./count_chart.js"); // most readers need no chart library here
  const truth = state.visible.has("truth") ? [known.lineOfTruth()] : [];
  const shown = [...truth, ...known.linesOf(lines(bench))];
  const values = shown.map(({ row, ...line }) => ({ ...line, y: [...row(dimension)] }));
  const title = page.dimensions.names[dimension];
  return openLargeChart({ title, axis: page.axis, lines: values, range: state.range }, button);
}

/** The ends of the range, over all plots. @param {Bench} bench */
export function drawRange({ page, state, scale, parts }) {
  const [first, after] = state.range;
  parts.edges.forEach((/** @type {HTMLElement} */ edge, /** @type {number} */ i) => {
    edge.hidden = first === 0 && after === scale.columns;
    edge.style.transform = `translateX(${scale.middleOf([first, after - 1][i])}px)`;
  });
  $("[data-range]").textContent = `Time: ${text.rangeText(page.axis, state.range)}`;
}

/** The line through the selected column. @param {Bench} bench */
export function moveHair({ state, scale, parts }) {
  parts.hair.hidden = false;
  parts.hair.style.transform = `translateX(${scale.middleOf(state.cell.column)}px)`;
}

/** The values of a cell; of the selected one without. @param {Bench} bench
 * @param {Bench["state"]["cell"] | null} cell */
export function showValues(bench, cell = null) {
  const { page, known, state } = bench;
  text.showValues($("[data-values]"), {
    page,
    known,
    cell: cell ?? state.cell,
    shown: state.shown,
    others: lines(bench),
  });
}

/** All of them, in the space that there is now. @param {Bench} bench */
export function drawPlots(bench) {
  const { page, parts } = bench;
  const host = $("[data-plots]");
  bench.scale = plotScale(page.axis.labels.length, host.clientWidth);
  host.style.setProperty("--plot-left", `${bench.scale.left}px`);
  drawHeat(bench);
  parts.axis.draw(page.axis, bench.scale);
  parts.brush.draw();
  drawBudget(bench);
  drawRange(bench);
  moveHair(bench);
  drawMultiples(bench);
  return drawLanes(bench);
}
