/* The charts of an experiment, side by side on one vertical scale. */

import { el } from "../../core/dom.js";
import { createFigure } from "../../charts/figure.js";

const WIDE = ["m", "ε"]; // what ranges over decades, as the papers draw it

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
    if (made === key) return;
    const hosts = panels.map(() => el("div", { class: "chart" }));
    host.replaceChildren(...hosts);
    host.classList.toggle("panels--one", panels.length === 1);
    figures = await Promise.all(
      panels.map(({ title }, i) => {
        const name = [stem, measure.name, title].filter(Boolean).join("_");
        return createFigure(hosts[i], { title, unit: measure.unit, name, log: wide || WIDE.includes(measure.unit) });
      }),
    );
    made = key;
  }

  async function drawAll(shown) {
    await build(shown);
    const { panels, measure, x } = shown;
    const also = panels.flatMap(({ lines }) =>
      lines
        .filter(({ visible }) => visible !== false)
        .flatMap(({ y, low, high }) => [...y, ...(low ?? []), ...(high ?? [])]),
    );
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
