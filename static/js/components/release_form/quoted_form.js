/* What release_form.js takes of kinds of data whose releases need the upload alone. */

import { $, el } from "../../core/dom.js";
import { list, quantity } from "../../core/elements.js";
import { swatch } from "../../core/swatch.js";
import { capitalized, count, number, percent } from "../../core/format.js";
import { factorText } from "./level_inputs.js";
import { epsilonText, showPromise, statements } from "./release_form.js";
import { arrange, createRow, groupHead, ReleaseTable } from "./release_table.js";

const sentence = (/** @type {string} */ text) => `${capitalized(text)}${text.endsWith(".") ? "" : "."}`;
const shared = (/** @type {any[]} */ some, /** @type {(one: any) => string[]} */ part) =>
  some.length ? part(some[0]).filter((text) => some.every((one) => part(one).includes(text))) : [];

/**
 * The kind of `page`; `kind` has the rest, what `QuotedTable` takes, and
 *
 * - `short(row, values)` the guarantee of a release as the texts before and after the factor of odds
 * - `uncovered(values)` what is not covered beside what the quote lists
 * - `beside()`, sent with each request
 */
export const quotedKind = ({ dataset, mechanisms }, kind) => ({
  subject: () => ({ dataset, ...kind.beside?.() }),
  createRows: (table, on) => new QuotedTable(table, mechanisms, kind, on),
  levelAt: epsilonText,
  budgetOf({ budgets }) {
    const { spent, total, price: cost, label, fits } = budgets.find((one) => !one.fits) ?? budgets[0];
    return { spent, total, cost, unit: `ε of ${label}`, fits };
  },
  promise(host, quote, rows, { values, experiment }) {
    showPromises(host, experiment || !quote ? [] : quote.mechanisms, { ...kind, rows, values });
    $("[data-spending]").textContent = [...new Set(quote?.budgets.map((one) => spendingText(one, experiment)))].join(
      " ",
    );
  },
  ...kind,
});

/** Show what `promises` of the quote state in `host`, [] for none, which are of `rows`. */
export function showPromises(host, promises, { rows, values, short, uncovered, noun }) {
  $("[data-statements]", host).replaceChildren(...promises.flatMap(inFull));
  const stated = promises.map(({ publishable, statement }, i) => {
    const { title } = rows[i];
    if (!publishable) return { title, text: statement };
    const [before, after] = short(rows[i], values);
    return { title, text: before, nodes: [before, quantity("odds", factorText(values.epsilon)), `${after} `] };
  });
  const open = shared(promises, (one) => one.not_covered).map((text) => sentence(text.replace(/ \(.*\)$/, "")));
  showPromise(host, promises.length, {
    nodes: statements(stated),
    uncovered: promises.length ? [...uncovered(values), ...open, ...shared(promises, (one) => one.caveats)] : [],
    noun,
  });
}

const inFull = ({ title, statement, assumptions, caveats, noise_sd: sd, noise_varies: varies, public_baseline }) => [
  el("h3.small", title),
  el("p.small", sentence(statement)),
  list({ class: "bullets small muted" }, [
    ...assumptions.map((text) => `Assumes: ${text}`),
    ...caveats,
    `Standard deviation of the noise of one newly sampled count: ${varies ? "at least " : ""}${number(sd)}.`,
    ...(public_baseline ? [public_baseline] : []),
  ]),
];

/** How precise the figures of a forecast are, for the parameters of its row. */
export const precisionText = ({ runs, within }) =>
  runs && within !== null ? `Figures of ${count(runs, "simulation")}, off by at most ${percent(within)}.` : "";

/**
 * What releases are charged.
 *
 * @param {{price: number, after: number, total: number | null, fits: boolean, label: string}} budget
 * @param {boolean} simulation
 */
export function spendingText({ price, after, total, fits, label }, simulation) {
  if (simulation) return "A simulation is charged nothing.";
  const limit = total === null ? ". There is no limit." : ` of ${number(total)}.`;
  const charged = `Charges ε = ${number(price)} of ${label}; ε = ${number(after)} would be spent${limit}`;
  return `${charged}${fits ? "" : " The budget does not suffice."}`;
}

/**
 * The rows of `table`. `listed` are mechanisms, each with its own fields, line style and values; `kind` has
 * `figureOf(found)`, `free`, what `freeRow` takes of what costs nothing, `isApart(row)` and `apart`, the title of those
 * rows; `simulateAll()` is called by the button of that group.
 */
export class QuotedTable extends ReleaseTable {
  constructor(table, listed, kind, { onChange, simulateAll }) {
    super(table, { ...kind, onChange });
    const { columns } = this;
    const { titleOf } = kind;
    this.free = freeRow(columns, kind.free);
    this.rows = listed.map((mechanism) => {
      const { fields, style: lineStyle, own, publishable: canTick } = mechanism;
      return createRow(mechanism, { fields, lineStyle, columns, own, canTick, titleOf, on: this.on });
    });
    const all = { class: "link small", onclick: simulateAll };
    const head = el("button", all, `Simulate all ${this.tickable().length}, no budget`);
    this.head = groupHead(columns, kind.apart, head);
    this.place();
  }

  tickable = () => this.rows.filter(({ canTick }) => canTick);

  place() {
    this.name();
    const figure = this.free.figure();
    const isBefore = ({ found }) => figure === null || (found && this.figureOf(found) < figure);
    const [sorted, elements] = [this.offered(), ({ element, detail }) => [element, detail]];
    const [strong, weak] = [false, true].map((on) => sorted.filter((row) => this.isApart(row) === on));
    const after = strong.filter((row) => !isBefore(row));
    const before = strong.filter(isBefore);
    arrange(this.bodies[0], [...before.flatMap(elements), this.free.element, ...after.flatMap(elements)]);
    arrange(this.bodies[1], weak.length ? [this.head, ...weak.flatMap(elements)] : []);
  }

  /** Show the forecasts of the `requested` rows. */
  show(found, requested) {
    this.free.take(found);
    this.take(found.mechanisms, requested);
  }
}

/**
 * {element, take(found), figure(), fill(contents)}: the row `title` with a cell of each class in `columns`; it stands
 * where the order has the figure of the newest forecast, `figureOf(found)`; null for none.
 */
function freeRow(columns, { title, lineStyle, figureOf }) {
  const cells = columns.map((style) => el("td", { class: style }));
  const name = el("span.line", swatch(lineStyle), el("span", title));
  const parts = [el("td"), el("th", { scope: "row" }, name), cells, el("td.errors__open")];
  /** @type {number | null} */
  let figure = null;
  return {
    element: el("tr.errors__free", { dataset: { free: "" } }, parts),
    take: (found) => (figure = figureOf(found)),
    figure: () => figure,
    fill: (contents) => cells.forEach((cell, i) => cell.replaceChildren(...[contents[i]].flat())),
  };
}
