/* The three charts, error, budget and temporal privacy loss, per event; and the curves that they show, fetched for the
 * parameters and events in view.
 */

import { createChartTools, onOptions, options } from "../../charts/chart_options.js";
import { alongOf, hasTimes } from "../../charts/axes.js";
import { createFigure } from "../../charts/figure.js";
import { withQuery } from "../../core/address.js";
import { get, post } from "../../core/api.js";
import { $ } from "../../core/dom.js";
import { runsWithout, spanOf } from "../../core/event_runs.js";
import { metres } from "../../core/format.js";
import { markedTitle, within } from "../../core/level.js";
import { createTooltip } from "../../core/tooltip.js";
import { yieldToPage } from "../../core/once.js";
import { createErrors, lineOf } from "./error_chart.js";
import { createLosses } from "./loss_chart.js";
import { listedIds } from "./map_layers.js";

const CHARTS = { error: "Error per event", budget: "Budget per event", loss: "Temporal privacy loss" };
const NAMES = Object.keys(CHARTS);

/**
 * Charts in `host` (three .chart elements). `on.pick(event)`, `on.hover(event or null)`, `on.range(first, after)`,
 * `on.clear()` for a pointer on one of them; `on.change()` when other losses must be fetched, `on.restyle()` when
 * they are to be drawn in another way; `on.check(query)`; `on.simulate(mechanisms)` has their mean errors against ε.
 * `note` is what an estimated correlation discloses, `radiusM` the radius that levels are stated at.
 */
async function createCharts(host, { note, radiusM }, on) {
  const figure = (name, i) =>
    createFigure($(`[data-chart=${name}]`, host), { title: CHARTS[name], unit: i ? "ε" : "m", name, tools: false });
  const [error, budget, loss] = await Promise.all(NAMES.map(figure));
  const all = [error, budget, loss];
  const fillTools = placeTools($(".charts", host), () => all.map((chart) => chart.medianText()).find(Boolean) ?? "");
  const errors = createErrors($("[data-chart=error]", host), error, on.simulate);
  const losses = createLosses($("[data-loss-choices]", host), loss, note, on);
  const { pick, hover, range, clear } = on;
  const together = createTogether($(".charts", host), all);
  all.forEach((chart) => chart.listen({ pick, range, clear, hover: (event) => hover(together.at(chart, event)) }));

  const lines = (shown, values) =>
    shown.map((release) => {
      const { curve, layer } = release;
      const y = values(curve, layer.release.mechanism.radius_m);
      return lineOf(release, { x: curve.event, y, thinned: curve.decimated });
    });

  return {
    query: losses.query,
    reset: losses.reset,
    /** Draw `shown` = [{layer, lineStyle, title, curve}], curves of the parameters in `query`. */
    async draw(shown, { runs, dummies, n, series, range: only, times, order }) {
      const marked = { bands: runsWithout(runs, dummies ?? []), hollow: dummies ?? [] };
      const common = { ...marked, times, order, span: spanOf(only, n), whole: spanOf(null, n) };
      const steps = lines(shown, (curve, radius) => curve.budget.map((one) => one && within(one, radius, radiusM)));
      await errors.draw(shown, { ...common, series, range: only, radiusM });
      await yieldToPage(); // each takes a while
      await budget.show((log) => ({
        ...common,
        log,
        note: `ε per ${metres(radiusM)}`,
        lines: steps.map((line) => ({ ...line, step: true })),
      }));
      await yieldToPage();
      await losses.draw(shown, common, lines);
      fillTools(common);
    },
    setVisible: (id, visible) => all.forEach((chart) => chart.setVisible(id, visible)),
    setSpan(span) {
      all.forEach((chart) => chart.setSpan(span));
      fillTools();
    },
    hover(event) {
      all.forEach((chart) => chart.hover(event));
      together.show(event);
    },
    moveCursor: (event, id) => all.forEach((chart) => chart.moveCursor(event, id)),
  };
}

/** One tooltip for all `charts` in `host`, beside the line on the one that the pointer is on, or was last. */
function createTogether(host, charts) {
  const tooltip = createTooltip();
  host.append(tooltip.element);
  let [over] = charts;
  return {
    /** Note that the pointer is on a chart; returns the event there. */
    at(chart, event) {
      over = chart;
      return event;
    },
    show(event) {
      const read = (chart) => (event === null ? null : chart.readout(event));
      const shown = charts.map((chart) => ({ chart, found: read(chart) })).filter(({ found }) => found?.rows.length);
      if (!shown.length) return tooltip.hide();
      const { chart } = shown.find((one) => one.chart === over) ?? shown[0]; // one without events has another axis
      const [plot, box] = [chart.plot.getBoundingClientRect(), host.getBoundingClientRect()];
      const left = plot.left - box.left + host.scrollLeft;
      const width = left + plot.width;
      const [y, height] = [plot.top - box.top, box.bottom - plot.top];
      tooltip.show(readTogether(shown.map(({ found }) => found)), { x: left + chart.xOf(event), width, y, height });
    },
  };
}

/** What a tooltip shows of several charts: one release's values by chart, of several those of each chart. */
function readTogether(found) {
  const [{ title }] = found;
  const groups = found.map(({ name, rows }) => ({ title: name, rows }));
  if (groups.some(({ rows }) => rows.length > 1)) return { title, groups };
  return { title, rows: groups.flatMap((one) => one.rows.map((row) => ({ ...row, name: one.title }))) };
}

/** The choice of axis and medians once for all charts, before them; `median()` is what medians are of. */
function placeTools(charts, median) {
  const tools = createChartTools();
  /** @type {any} */
  let latest = null;
  charts.before(tools.element);
  function fill(shown = latest) {
    latest = shown;
    if (!shown) return;
    const along = alongOf({ ...shown, ...options });
    tools.fill({ along, timed: hasTimes(shown), series: true, median: median() });
  }
  onOptions(() => fill());
  return fill;
}

/**
 * The charts in `bench`. `known()` = {layers, lineStyles, titled, cursor, view, original, runs, dummies} is the present
 * state;
 * `on`: the events of charts, as figures have them, and `refused(text)`, `drawn(highest losses by id, how many)`.
 * `attempt(what)` runs what may fail.
 * Returns {draw, setSpan, …charts}.
 */
export async function createReleaseCharts(bench, page, known, on, attempt) {
  const again = () => attempt(redraw);
  const { refused, drawn, ...listeners } = on;
  const charts = await createCharts(
    bench,
    { note: page.note, radiusM: page.radius_m },
    { ...listeners, change: again, restyle: again, check, simulate },
  );
  const chartable = () => known().layers.filter((layer) => layer.chartable);

  const order = () => listedIds(known().layers, known().view);

  async function check(query) {
    const [layer] = chartable();
    const requested = { ...query, ...layer?.comparedOn, series: known().cursor.series, points: 10 };
    return layer && get(withQuery(layer.release.urls.series, requested));
  }

  function simulate(mechanisms) {
    const { dataset, landmark_set } = page;
    return post(page.urls.curve, { dataset, landmark_set, series: known().cursor.series, mechanisms });
  }

  let turn = 0;
  async function draw() {
    const mine = ++turn;
    const { lineStyles, titled, cursor, view, original, runs, dummies } = known();
    const [query, { range }] = [charts.query(), view];
    const shown = await Promise.all(
      chartable().map(async (layer) => ({
        layer,
        lineStyle: lineStyles.get(layer.id),
        short: titled(layer),
        title: markedTitle(titled(layer), layer.release.mechanism, page.radius_m),
        curve: await layer.curve(cursor.series, query, range),
      })),
    );
    if (mine !== turn) return; // more is to be drawn by now, or something else
    const times = original.time && { at: original.time, zone: page.time_zone };
    await charts.draw(shown, { runs, dummies, n: original.n, series: cursor.series, range, times, order });
    charts.moveCursor(cursor.event, known().active?.id);
    const highest = ({ layer }) =>
      layer
        .curve(cursor.series, query)
        .then(({ loss }) => [layer.id, loss.total?.reduce((a, b) => Math.max(a, b), 0) ?? null]);
    drawn(new Map(await Promise.all(shown.map(highest))));
    bench.dataset.charts = String(shown.length);
  }

  /** After a choice. An address may name what the server refuses: then the default correlation, and the reason. */
  async function redraw() {
    try {
      await draw();
    } catch (error) {
      if (error.status !== 400) throw error;
      charts.reset();
      await draw();
      refused(error.message);
    }
  }

  /** @type {any} */
  let closer = null;
  return {
    ...charts,
    draw: redraw,
    /** Show the events of `range` alone; once it rests, closer where the curves of all events are thinned out. */
    setRange(range) {
      charts.setSpan(spanOf(range, known().original.n));
      clearTimeout(closer);
      closer = setTimeout(again, 250);
    },
  };
}
