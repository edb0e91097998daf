/* What release_form.js takes of kinds of data whose releases need the upload alone. */

import { $, el } from "../../core/dom.js";
import { list, quantity } from "../../core/elements.js";
import { capitalized, count, number, percent } from "../../core/format.js";
import { factorText } from "./odds.js";
import { showPromise, statements } from "./promise.js";
import { epsilonText } from "./release_form.js";
import { QuotedTable } from "./quoted_table.js";

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
  el("h3", { class: "small" }, title),
  el("p", { class: "small" }, sentence(statement)),
  list({ class: "small muted" }, [
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
