/* The charts of an experiment, side by side on one vertical scale, and what a reader may choose about them. */

import { el } from "../../core/dom.js";
import { createFigure } from "../../charts/figure.js";
import { selectOf } from "../../core/elements.js";
import { swatch } from "../../core/swatch.js";
import { mayLie, withRole } from "./results_view.js";

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
    const hosts = panels.map(() => el("div.chart"));
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

let ids = 0;

function choice(label, options, chosen, onChange) {
  const id = `choice-${(ids += 1)}`;
  const select = selectOf({ id }, options);
  select.value = String(chosen);
  select.addEventListener("change", () => onChange(select.value === "null" ? null : Number(select.value)));
  return el("div.field", el("label", { for: id }, label), select);
}

/** Draw the choices of `view` into `host`; `change(view)` receives what the reader chose. */
export function fillView(host, results, view, change) {
  const { axes, measures } = results;
  const named = (indices) => indices.map((i) => [i, axes[i].title]);
  const all = axes.map((_, i) => i);
  const role = (name) => (axis) => change(withRole(view, name, axis));
  const parts = [];
  if (measures.length > 1) {
    parts.push(
      choice(
        "Measure",
        measures.map(({ title }, i) => [i, title]),
        view.measure,
        (measure) => change({ ...view, measure }),
      ),
    );
  }
  if (view.along !== null && mayLie(results).length > 1)
    parts.push(choice("Horizontal axis", named(mayLie(results)), view.along, role("along")));
  const rest = all.filter((i) => i !== view.along);
  if (rest.length > 1) {
    parts.push(choice("Lines by", named(rest), view.lines, role("lines")));
    parts.push(choice("Charts by", [["null", "one chart"], ...named(rest)], view.facet, role("facet")));
  }
  for (const [axis, at] of Object.entries(view.fixed)) {
    const options = axes[axis].values.map(({ label }, i) => [i, label]);
    parts.push(
      choice(axes[axis].title, options, at, (value) => change({ ...view, fixed: { ...view.fixed, [axis]: value } })),
    );
  }
  host.replaceChildren(...parts);
  host.hidden = !parts.length;
}

/** A legend: a button for each of `lines` = [{key, name, lineStyle}] that shows or hides it; `hidden` has keys. */
export function fillLegend(host, lines, hidden, change) {
  host.replaceChildren(
    ...lines.map(({ key, name, lineStyle }) => {
      const toggle = el(
        "button.bare.lines__toggle.stack.gap-2",
        { "aria-pressed": String(!hidden.has(key)) },
        swatch(lineStyle),
        el("span", name),
      );
      toggle.addEventListener("click", () => {
        if (!hidden.delete(key)) hidden.add(key);
        toggle.setAttribute("aria-pressed", String(!hidden.has(key)));
        change();
      });
      return el("li", toggle);
    }),
  );
}
