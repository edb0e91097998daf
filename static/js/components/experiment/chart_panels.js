/* The charts of an experiment, side by side on one vertical scale. */

import { el } from "../../core/dom.js";
import { createFigure } from "../../charts/figure.js";

const WIDE = ["m", "ε"]; // what ranges over decades, as the papers draw it
const CORRELATIONS = ["stream-pearson", "stream-spearman"];

const valuesOf = (lines) => lines.flatMap(({ y, low, high }) => [...y, ...(low ?? []), ...(high ?? [])]);

/** Whether charts open with a logarithmic axis: those of what ranges over decades and is nowhere below 0. */
export function opensLog({ panels, measure, wide }) {
  if (CORRELATIONS.includes(measure.name) || !(wide || WIDE.includes(measure.unit))) return false;
  return panels.every(({ lines }) => valuesOf(lines).every((value) => value >= 0));
}

/**
 * {draw(shown)} of charts in `host`: `shown` = {measure: {title, unit}, wide, x: {name, log}, panels: [{title, lines}],
 * key}, lines as charts take them; `wide` is whether the measure ranges over decades whatever its unit. Charts are made
 * again where `key` changes, else drawn again.
 */
export function createPanels(host, stem) {
  let figures = [];
  let made = "";
  let queue = Promise.resolve();

  async function build({ panels, measure, wide, key }) {
    const log = opensLog({ panels, measure, wide });
    if (made === `${key} ${log}`) return;
    const hosts = panels.map(() => el("div", { class: "chart" }));
    host.replaceChildren(...hosts);
    host.classList.toggle("panels--one", panels.length === 1);
    figures = await Promise.all(
      panels.map(({ title }, i) => {
        const name = [stem, measure.name, title].filter(Boolean).join("_");
        return createFigure(hosts[i], { title, unit: measure.unit, name, log });
      }),
    );
    made = `${key} ${log}`;
  }

  async function drawAll(shown) {
    await build(shown);
    const { panels, measure, x } = shown;
    const also = panels.flatMap(({ lines }) => valuesOf(lines.filter(({ visible }) => visible !== false)));
    const vertical = [measure.title, measure.unit].filter(Boolean).join(", ");
    const common = { vertical, x, also, by: { key: "x", name: x.name } };
    await Promise.all(figures.map((figure, i) => figure.show((log) => ({ ...common, log, lines: panels[i].lines }))));
    host.dataset.drawn = String(
      panels.reduce((sum, { lines }) => sum + lines.reduce((points, { y }) => points + y.length, 0), 0),
    );
  }

  return {
    /** One drawing after the other; resolves when this one is done. */
    draw: (shown) => (queue = queue.then(() => drawAll(shown))),
  };
}
