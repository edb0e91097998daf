/* The largest losses of every mechanism, correlation by correlation. */

import { swatch } from "../../core/swatch.js";
import { el } from "../../core/dom.js";
import { capitalized, count, inColumn, number } from "../../core/format.js";

const text = (value) => inColumn(value, 3);

/**
 * The table in `head` and `body`. `columns` = [{key, title, report}], `part` joint or own, `current` the key shown in
 * the chart. Every cell has the bridge, and below it the published formula.
 */
export function showTable(head, body, columns, { part, current, lineStyles }) {
  const headOf = ({ key = "", title }) =>
    el("th", { scope: "col", class: "number", "aria-current": key === current ? "true" : null }, title);
  const first = el("th", { scope: "col" }, "Mechanism");
  head.replaceChildren(el("tr", {}, first, [{ title: "No correlation" }, ...columns].map(headOf)));
  const ofOne = (i) => columns.map(({ report }) => report.mechanisms[i]);
  body.replaceChildren(...columns[0].report.mechanisms.map((_, i) => row(ofOne(i), part, lineStyles)));
}

function row(found, part, lineStyles) {
  const [first] = found;
  const runs = first.simulated?.runs;
  const summary = [...parameters(first.parameters), ...(runs ? [`median of ${count(runs, "simulated run")}`] : [])];
  const name = el(
    "th",
    { scope: "row" },
    el("span", { class: "row" }, swatch(lineStyles[first.name]), first.title),
    summary.length && !first.why_not ? el("span", { class: "small muted report__own" }, summary.join(", ")) : null,
  );
  const whole = { class: "muted small", colspan: String(found.length + 1) };
  if (first.why_not) return el("tr", {}, name, el("td", whole, sentence(first.why_not)));
  const level = text(part === "joint" ? first.level : first.highest_budget);
  const cells = found.map((report) => cell(report, part));
  return el("tr", {}, name, el("td", { class: "number" }, level), cells);
}

/** @type {Record<string, string>} */
const UNITS = { _m2: " m²", _m: " m" };

/** What a mechanism was given of its own; the radius only where something is weighed against it. */
function parameters(given) {
  const chosen = Object.entries(given)
    .filter(([, value]) => typeof value === "string")
    .map(([name, value]) => [name, value.replaceAll("-", " ")]);
  const own = Object.entries(given).filter(([name, value]) => typeof value === "number" && name !== "radius_m");
  const weighed = own.some(([name]) => name.endsWith("_m2"));
  return [
    ...chosen.map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`),
    ...[...own, ...(weighed ? [["radius_m", given.radius_m]] : [])].map(([name, value]) => {
      const [ending = ""] = /_m2?$/.exec(name) ?? [];
      const called = name.slice(0, name.length - ending.length).replaceAll("_", " ");
      return `${called} ${number(value)}${UNITS[ending] ?? ""}`;
    }),
  ];
}

const sentence = (label) => `${capitalized(label)}${label.endsWith(".") ? "" : "."}`;

function cell({ bridge, published }, part) {
  return el(
    "td",
    { class: "number" },
    bridge ? text(bridge[part]) : "no bridge",
    bridge && spreadOf(bridge, part),
    published ? el("span", { class: "small muted" }, `published ${text(published[part])}`) : null,
  );
}

/** Of simulated runs the least and the greatest, and what none exceeds. */
function spreadOf({ least, greatest, most }, part) {
  if (!most) return null;
  const summary = least ? `${text(least[part])} to ${text(greatest[part])}` : "no run above it";
  return el("span", { class: "small muted" }, least ? `${summary}, no run above ${text(most[part])}` : summary);
}
