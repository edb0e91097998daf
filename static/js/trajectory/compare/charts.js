/* The three charts: error, budget and temporal privacy loss, per event. */

import { $ } from "../../core/dom.js";
import { createFigure } from "../../charts/figure.js";
import { runsWithout, spanOf } from "../../core/event_runs.js";
import { createErrors } from "./error_chart.js";
import { createLosses } from "./loss_chart.js";

/**
 * Charts in `host` (three .chart elements). `on.pick(event)`, `on.hover(event or null)`, `on.range(first, after)`,
 * `on.clear()` for a pointer on one of them; `on.change()` when other losses must be fetched, `on.restyle()` when
 * they are to be drawn in another way; `on.check(query)`; `on.simulate(mechanisms)` has their mean errors against ε.
 * `note` is what an estimated correlation discloses.
 */
export async function createCharts(host, note, on) {
  const [error, budget, loss] = await Promise.all([
    createFigure($("[data-chart=error]", host), { title: "Error per event", unit: "m", name: "cairn-error" }),
    createFigure($("[data-chart=budget]", host), { title: "Budget per event", unit: "ε", name: "cairn-budget" }),
    createFigure($("[data-chart=loss]", host), { title: "Temporal privacy loss", unit: "ε", name: "cairn-loss" }),
  ]);
  const errors = createErrors($("[data-chart=error]", host), error, on.simulate);
  const losses = createLosses($("[data-loss-choices]", host), loss, note, on);
  const all = [error, budget, loss];
  const { pick, hover, range, clear } = on;
  all.forEach((chart) => chart.listen({ pick, hover, range, clear }));

  function lines(layers, values) {
    return layers.map(({ layer, lineStyle, title, curve }) => ({
      id: layer.id,
      name: title,
      x: curve.event,
      y: values(curve),
      colour: lineStyle.colour,
      dash: lineStyle.dash,
      marker: lineStyle.marker,
      visible: layer.visible,
    }));
  }

  return {
    query: losses.query,
    reset: losses.reset,
    /** Draw `shown` = [{layer, lineStyle, title, curve}], curves of the parameters in `query`. */
    async draw(shown, { runs, dummies, n, series, range: only }) {
      const marked = { bands: runsWithout(runs, dummies ?? []), hollow: dummies ?? [] };
      const common = { ...marked, span: spanOf(only, n), whole: spanOf(null, n) };
      const steps = lines(shown, (curve) => curve.budget).map((line) => ({ ...line, step: true }));
      await Promise.all([
        errors.draw(shown, { ...common, series, range: only }),
        budget.show((log) => ({ ...common, log, note: "ε", lines: steps })),
        losses.draw(shown, common, lines),
      ]);
    },
    setVisible: (id, visible) => all.forEach((chart) => chart.setVisible(id, visible)),
    setSpan: (span) => all.forEach((chart) => chart.setSpan(span)),
    hover: (event) => all.forEach((chart) => chart.hover(event)),
    moveCursor: (event) => all.forEach((chart) => chart.moveCursor(event)),
  };
}
