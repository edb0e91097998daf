/* What a reader may choose about the charts: the measure, what lies where, what is held fixed; which lines are shown.
 */

import { el } from "../../core/dom.js";
import { selectOf } from "../../core/elements.js";
import { swatch } from "../swatch.js";
import { mayLie, withRole } from "./results_view.js";

let ids = 0;

function choice(label, options, chosen, onChange) {
  const id = `choice-${(ids += 1)}`;
  const select = selectOf({ id }, options);
  select.value = String(chosen);
  select.addEventListener("change", () => onChange(select.value === "null" ? null : Number(select.value)));
  return el("div", { class: "field" }, el("label", { for: id }, label), select);
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
        "button",
        { class: "bare lines__toggle", type: "button", "aria-pressed": String(!hidden.has(key)) },
        swatch(lineStyle),
        el("span", {}, name),
      );
      toggle.addEventListener("click", () => {
        if (!hidden.delete(key)) hidden.add(key);
        toggle.setAttribute("aria-pressed", String(!hidden.has(key)));
        change();
      });
      return el("li", {}, toggle);
    }),
  );
}
