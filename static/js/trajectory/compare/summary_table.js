/* The table of the releases. */

import { term } from "../../components/glossary.js";
import { swatch } from "../../components/swatch.js";
import { el } from "../../core/dom.js";
import { quantity } from "../../core/elements.js";
import { metres, number } from "../../core/format.js";
import { verdictText } from "../../components/verdict_text.js";
import { LEVELS } from "./guarantee.js";

const STATES = { queued: "Waiting", running: "Running", done: "Done", failed: "Failed", cancelled: "Cancelled" };

const cell = (label, ...content) => el("td", { "data-label": label, class: "number" }, ...content);

const drawn = new WeakMap(); // table body → its rows, so that only what changed is made again

/** All that a row shows, but a job's progress, which it does not. */
const rowKey = ({ layer: { id, release, done }, lineStyle, title, level, loss }) =>
  JSON.stringify([
    id,
    done,
    release.state,
    release.seed,
    release.owner_view,
    release.verdict,
    release.summary,
    release.label,
    lineStyle,
    title,
    level,
    loss,
  ]);

/**
 * The table's rows for `shown` = [{layer, lineStyle, title, level, loss}]; `menu(layer)` is what can be done with one.
 */
export function showSummary(body, shown, menu) {
  const before = drawn.get(body) ?? new Map();
  const focused = body.contains(document.activeElement) && document.activeElement?.closest("tr");
  const held = focused && focused.dataset.release;
  const rows = new Map(shown.map((one) => [rowKey(one), before.get(rowKey(one)) ?? row(one, menu)]));
  drawn.set(body, rows);
  const wanted = [...rows.values()];
  for (const node of [...body.children]) if (!wanted.includes(node)) node.remove();
  for (const [i, node] of wanted.entries())
    if (body.children[i] !== node) body.insertBefore(node, body.children[i] ?? null);
  const again = held && body.querySelector(`tr[data-release="${held}"] .menu > summary`);
  if (again && again !== document.activeElement) again.focus({ preventScroll: true });
}

function row({ layer, lineStyle, title, level, loss }, menu) {
  const { release, done } = layer;
  const error = (name) => release.owner_view && quantity(`${name}:${release.id}`, metres(release.owner_view[name]));
  const budgets = release.summary?.budgets;
  const spread = !budgets
    ? ""
    : budgets.min === budgets.max
      ? number(budgets.min)
      : `${number(budgets.min)} – ${number(budgets.max)}`;
  const head = el("span", { class: "row" }, swatch(lineStyle), title);
  return el(
    "tr",
    { dataset: { release: release.id } },
    el("th", { scope: "row" }, head),
    el("td", { "data-label": "Level" }, LEVELS[level] ? term(LEVELS[level][0], level) : level),
    cell("Mean error", error("mae_m")),
    cell("Typical", error("median_error_m")),
    cell("95 %", error("p95_error_m")),
    cell("Verdict", verdictText(release.verdict)),
    cell("Radius", quantity(`radius_m:${release.id}`, metres(release.mechanism.radius_m))),
    cell("Budget", spread),
    cell("Loss, at most", loss === null ? "" : number(loss)),
    el(
      "td",
      { "data-label": "State" },
      release.seed === null ? STATES[release.state] : `${STATES[release.state]}, NOT PRIVATE`,
    ),
    el("td", { class: "actions" }, done ? menu(layer) : []),
  );
}
