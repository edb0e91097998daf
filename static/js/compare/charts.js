/* The three charts: error, budget and temporal privacy loss, per event. */

import { $, el, number } from "../dom.js";
import { createFigure } from "../figure.js";

const CORRELATIONS = [
  ["none", "no correlation"],
  ["1", "weak correlation, s = 1"],
  ["0.1", "medium correlation, s = 0.1"],
  ["0.01", "strong correlation, s = 0.01"],
];
const SIDES = [
  ["total", "total loss"],
  ["backward", "backward"],
  ["forward", "forward"],
];

const choice = (label, options, chosen) =>
  el("label", { class: "bench__choice" }, el("select", { class: "input", "aria-label": label }, options.map(([value, text]) => el("option", { value, selected: value === chosen }, text))));

/** Charts in `host` (three .chart elements); `on.pick(event)`, `on.correlation()` after another one was chosen. */
export async function createCharts(host, on) {
  const correlation = choice("Correlation", CORRELATIONS, "0.1");
  const side = choice("Loss", SIDES, "total");
  $("[data-loss-choices]", host).replaceChildren(correlation, side);
  const [error, budget, loss] = await Promise.all([
    createFigure($("[data-chart=error]", host), { title: "Error per event", unit: "m", name: "cairn-error" }),
    createFigure($("[data-chart=budget]", host), { title: "Budget per event", unit: "ε", name: "cairn-budget" }),
    createFigure($("[data-chart=loss]", host), { title: "Temporal privacy loss", unit: "ε", name: "cairn-loss" }),
  ]);
  const all = [error, budget, loss];
  all.forEach((chart) => chart.onPick(on.pick));
  correlation.querySelector("select").addEventListener("change", () => on.correlation());
  side.querySelector("select").addEventListener("change", () => on.correlation());
  const chosenS = () => correlation.querySelector("select").value;

  function lines(layers, values) {
    return layers.map(({ layer, ink, title, curve }) => ({
      id: layer.id, name: title, x: curve.event, y: values(curve), colour: ink.colour, dash: ink.dash, visible: layer.visible,
    }));
  }

  return {
    /** The smoothing asked for; null without correlation. */
    s: () => (chosenS() === "none" ? null : Number(chosenS())),
    /** Draw `shown` = [{layer, ink, title, curve}], curves for the chosen s. */
    async draw(shown, { runs, n }) {
      const common = { bands: runs, span: [0, Math.max(1, n - 1)], log: true };
      const which = side.querySelector("select").value;
      const s = chosenS();
      const levels = [...new Set(shown.map(({ layer }) => layer.release.mechanism.epsilon))].slice(0, 3);
      const value = s === "none" ? (curve) => curve.budget : (curve) => curve.loss[which];
      await Promise.all([
        error.show({ ...common, note: "metres, log", lines: lines(shown, (curve) => curve.error_m ?? []) }),
        budget.show({ ...common, note: "ε, log", lines: lines(shown, (curve) => curve.budget).map((line) => ({ ...line, step: true })) }),
        loss.show({
          ...common, note: s === "none" ? "ε, log" : "ε, log · 2 places", lines: lines(shown, value),
          rules: levels.map((y) => ({ y, label: `ε = ${number(y)}, no correlation` })),
        }),
      ]);
    },
    setVisible: (id, visible) => all.forEach((chart) => chart.setVisible(id, visible)),
    moveCursor: (event) => all.forEach((chart) => chart.moveCursor(event)),
  };
}
