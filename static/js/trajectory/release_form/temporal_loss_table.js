/* What releases would leak where positions are correlated: the worst event, and all landmarks with one, beside no
 * correlation.
 */

import { radios } from "../../components/choice_controls.js";
import { tableHead } from "../../core/elements.js";
import { swatch } from "../../core/swatch.js";
import { el } from "../../core/dom.js";
import { count, number } from "../../core/format.js";
import { createDistance } from "../loss/distance_field.js";
import { DIAMETER_M, LEGEND, STANDARD, standardOptions } from "../loss/view_state.js";

/**
 * The part in `host`; `radius_m` is the reference radius, `onChange()` is called after another correlation was chosen.
 * Returns {correlation(), show(answer, line styles), clear()}.
 */
export function createTemporalLossTable(host, { radius_m, onChange }) {
  let [chosen, diameter_m] = ["moderate", DIAMETER_M];
  const options = standardOptions();
  const correlate = (value) => {
    chosen = value;
    onChange();
  };
  const choice = radios(LEGEND, options, chosen, correlate, { shown: true });
  const distance = createDistance(diameter_m, (value) => {
    diameter_m = value;
    onChange();
  });
  const table = el("table", { class: "forecast small" });
  const notes = el("div", { class: "small muted" });
  host.replaceChildren(choice.element, distance.element, table, notes);
  return {
    correlation: () => ({ n: 2, s: STANDARD[chosen], diameter_m: Number(diameter_m) }),
    show({ mechanisms, correlation }, lineStyles) {
      table.replaceChildren(...rows(mechanisms, lineStyles));
      notes.replaceChildren(...notesOf(mechanisms, chosen, correlation, radius_m).map((text) => el("p", {}, text)));
    },
    clear: () => [table, notes].forEach((part) => part.replaceChildren()),
  };
}

const HEADS = ["Mechanism", "Worst event", "All landmarks + it"];

const rows = (mechanisms, lineStyles) => [
  el("caption", { class: "visually-hidden" }, "Loss without correlation, and with it"),
  tableHead(HEADS, ""),
  el("tbody", {}, ...mechanisms.map((one) => row(one, lineStyles.get(one.name)))),
];

export const grown = (level, loss) => (level === null || loss === null ? "–" : `${number(level)} → ${number(loss)}`);

function row({ name, title, loss }, lineStyle) {
  const head = el("th", { scope: "row" }, el("span", { class: "line" }, swatch(lineStyle), title));
  const known = loss.event !== null;
  const cells = known
    ? [grown(loss.event_level, loss.event), grown(loss.joint_level, loss.joint)].map((text) => el("td", {}, text))
    : el("td", { colspan: HEADS.length - 1, class: "muted" }, loss.why_not);
  return el("tr", { dataset: { loss: name } }, head, cells);
}

export function notesOf(mechanisms, chosen, correlation, radius_m) {
  const known = mechanisms.map(({ loss }) => loss).filter(({ event }) => event !== null);
  if (!known.length) return [];
  const apart = `${number(correlation.diameter_m)} m`;
  const found = [
    `ε at ${apart} without correlation → upper bound under a ${chosen} one, for an adversary whose ` +
      `matrix has two states at most ${apart} apart and s = ${STANDARD[chosen]}. A guarantee holds for ` +
      `independent events; ε within the radius r is ε·D/r for places D apart: ε = 1 within the reference radius, ` +
      `${number(radius_m)} m, is ε = ${number(correlation.diameter_m / radius_m)} at D = ${apart}, without ` +
      `correlation.`,
  ];
  const tried = mechanisms.filter(({ loss }) => loss.simulated);
  if (tried.length)
    found.push(
      `${tried.map(({ title }) => title).join(", ")}: the median of ` +
        `${count(tried[0].loss.simulated, "run")} simulated on synthetic trajectories, since the budget of each ` +
        `event depends on the run.`,
    );
  const formula = known.find(({ upper_bound }) => upper_bound === false);
  if (formula)
    found.push(`All landmarks + it is by the published formula, which is not an upper bound: ${formula.why}.`);
  const refused = known.find(({ joint }) => joint === null);
  if (refused) found.push(`All landmarks + it is left out: ${refused.why_not}.`);
  return found;
}
