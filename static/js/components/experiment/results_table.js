/* The numbers of an experiment as a table: a row for each point of the grid. */

import { sameAs } from "./results_view.js";
import { el } from "../../core/dom.js";
import { inColumn, percent, whole } from "../../core/format.js";

const MOST = 500;

const cell = (value) => el("td.number", value === null || value === undefined ? "–" : inColumn(value, 4));

/**
 * Fill `table` for one measure; with `beside` = {name, index, measure} the means of another experiment and their ratio.
 */
export function fillNumbers(table, more, { axes, points, measures, band, shares }, measure, beside) {
  const { title, unit } = measures[measure];
  const known = points.filter(({ values }) => values[measure]);
  const heads = [
    ...axes.map((axis) => el("th", { scope: "col" }, axis.unit ? `${axis.title}, ${axis.unit}` : axis.title)),
    ...(shares ? [el("th.number", { scope: "col" }, "marked")] : []),
    ...["mean", ...band.map((share) => percent(share)), "repetitions"].map((name) =>
      el("th.number", { scope: "col" }, name),
    ),
    ...(beside ? [`mean, ${beside.name}`, "ratio"] : []).map((name) => el("th.number", { scope: "col" }, name)),
  ];
  const row = (point) => {
    const { mean, low, high, n } = point.values[measure];
    const other = beside && (sameAs(beside.index, axes, point)?.values[beside.measure]?.mean ?? null);
    const labels = point.at.map((i, axis) => axes[axis].values[i].label);
    const [first, ...rest] = labels.length ? labels : ["all"];
    return el(
      "tr",
      el("th", { scope: "row" }, first),
      rest.map((label) => el("td", label)),
      shares && el("td.number", point.share === null ? "–" : percent(point.share)),
      [mean, low, high].map(cell),
      el("td.number", whole(n)),
      beside ? [cell(other), cell(other && mean !== null ? mean / other : null)] : [],
    );
  };
  const head = axes.length ? heads : [el("th", { scope: "col" }, "cell"), ...heads];
  table.replaceChildren(
    el("caption.visually-hidden", unit ? `${title}, ${unit}` : title),
    el("thead", el("tr", head)),
    el("tbody", known.slice(0, MOST).map(row)),
  );
  more.textContent =
    known.length > MOST
      ? `The first ${MOST} of ${whole(known.length)} rows; the downloads have them all.`
      : known.length
        ? ""
        : "Rows appear as they are computed.";
}
