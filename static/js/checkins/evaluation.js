/* Evaluations of models of check-ins: hit rates beside the models and against ε; simulations of those without. */

import { poll, post } from "../core/api.js";
import { $, $$ } from "../core/dom.js";
import { watchPressed } from "../core/elements.js";
import { createFigure } from "../charts/figure.js";
import { number } from "../core/format.js";
import { gridOf } from "./grid_cells.js";

const LABELLED_PX = 560; // a chart as wide as this has names at the ends of its lines

/** @typedef {{attempt: (action: () => Promise<any>) => Promise<void>}} Problem */

/**
 * What the page shows of its evaluations: `show(release)` for another release.
 *
 * @param {any} page
 * @param {Problem} problem
 * @param {{busy: boolean}} work
 */
export function createEvaluation(page, problem, work) {
  let release;
  let measure = page.measures.find(({ first }) => first);
  const chart = createRateChart(page);

  function show(to) {
    release = to;
    const found = evaluationFor(page, release);
    const known = evaluationOf(found?.rows ?? []);
    showState(found);
    showHits(page, { release, known, measure, done: Boolean(found?.rows) });
    return found?.rows ? chart({ release, known, measure, found }) : undefined;
  }

  watchPressed("measure", (chosen) => {
    measure = page.measures.find(({ name }) => name === chosen);
    return problem.attempt(async () => show(release));
  });
  watchStart(page, problem, work, () => release);
  return { show };
}

/** Show the chart, or that there is none yet. */
function showState(found) {
  const state = found?.rows ? "done" : found ? "open" : "none";
  for (const part of $$("[data-evaluation]")) part.hidden = part.dataset.evaluation !== state;
  for (const link of $$("[data-evaluation-link]")) {
    if (found) link.href = found.page;
    link.textContent = found?.name ?? "";
  }
  if (found) $("[data-evaluation-state]").textContent = found.state;
}

/** @param {any} page
 * @param {{release: any, known: ReturnType<typeof evaluationOf>, measure: any, done: boolean}} what */
function showHits(page, { release, known, measure, done }) {
  const { name, short } = measure;
  $("[data-hit-title]").textContent = done ? `${short}, ${release.short}` : "";
  for (const one of page.releases)
    $(`[data-hit="${one.id}"]`).textContent = done ? shareText(known.value(one.mechanism, name, one)) : "";
  for (const one of page.baselines)
    $(`[data-baseline="${one.name}"]`).textContent = shareText(known.value(one.name, name, release));
  $("[data-comparison]").textContent = comparisonText(known, release, measure, page.baselines);
  $("[data-worse]").textContent = worseText(known, release, measure);
}

/** The chart, made when it is first shown. */
function createRateChart(page) {
  /** @type {Promise<any> | null} */
  let making = null;
  const host = $("[data-chart]");

  return async ({ release, known, measure, found }) => {
    making ??= createFigure(host, { title: measure.short, unit: "", name: "hit-rate", log: false });
    const figure = await making;
    const lines = known
      .lines(measure.name, release.unit)
      .map((line) => ({
        ...line,
        ...page.models[line.id]?.style,
        name: page.models[line.id]?.title ?? line.id,
        strong: line.id === release.mechanism,
      }));
    await figure.show({
      title: measure.short,
      note: "users that no model was fitted to",
      vertical: `${measure.short}, share`,
      name: `cairn-${measure.name.replace(/\W+/g, "-")}`,
      about: found.note,
      lines,
      ends: host.clientWidth >= LABELLED_PX,
      uprights: [{ x: release.epsilon }],
      unit: "share",
      x: { short: "ε", name: `ε per ${release.unit === "user" ? "user" : "check-in"}, log`, log: true },
      by: { key: "x", name: "epsilon" },
      log: false,
    });
  };
}

/** The button that starts an evaluation as an experiment. @param {any} page
 * @param {Problem} problem
 * @param {{busy: boolean}} work
 * @param {() => any} shown the release whose grid is evaluated */
const watchStart = (page, problem, work, shown) =>
  watchWork($("[data-evaluate]"), problem, work, async (begun) => {
    const { west, south, east, north, side } = shown().spec;
    const preset = { name: page.preset, west, south, east, north, side };
    const made = await post(page.urls.experiments, { dataset: page.dataset, preset });
    begun("Evaluating…");
    const ended = await poll(made.urls.self);
    if (ended.state === "done") location.reload();
    else location.assign(made.urls.page);
  });

/** Have a button do `action(begun)`; `begun(text)` shows what it waits for. @param {HTMLButtonElement | null} button
 * @param {Problem} problem
 * @param {{busy: boolean}} work
 * @param {(begun: (text: string) => void) => Promise<void>} action */
function watchWork(button, problem, work, action) {
  button?.addEventListener("click", () => {
    button.disabled = work.busy = true;
    return problem.attempt(() =>
      action((text) => (button.textContent = text)).finally(() => (button.disabled = work.busy = false)),
    );
  });
}

/**
 * @typedef {{model: string, unit: string, epsilon: number, metric: string, value: number, low: number | null,
 *   high: number | null}} Row
 * @typedef {{title: string, mechanism: string, epsilon: number, unit: string, unusual: string[]}} Release
 * @typedef {{name: string, title: string}} Named
 */

const NEAREST = "checkin-nearest";

/** A share as tables show it: .062; "–" where there is none. @param {number | null | undefined} share */
export const shareText = (share) => {
  if (share === null || share === undefined) return "–";
  return share >= 0.9995 ? "1" : share.toFixed(3).slice(1);
};

/**
 * The rows of an evaluation: `value(model, metric, release)` at the level of a release, null where it was not evaluated
 * there or the release is of that model with other parameters; `lines(metric, unit)` over ε.
 *
 * @param {Row[]} rows
 */
export function evaluationOf(rows) {
  const of = (/** @type {string} */ metric, /** @type {string} */ unit) =>
    rows.filter((row) => row.metric === metric && row.unit === unit);
  return {
    /** @param {string} model @param {string} metric @param {Release} release */
    value(model, metric, { mechanism, unusual, epsilon, unit }) {
      if (model === mechanism && unusual.length) return null;
      const same = (/** @type {Row} */ row) => Math.abs(row.epsilon - epsilon) <= 1e-9 * epsilon;
      const found = of(metric, unit).find((row) => row.model === model && same(row));
      return found ? found.value : null;
    },
    /** @param {string} metric @param {string} unit */
    lines(metric, unit) {
      const own = of(metric, unit);
      return [...new Set(own.map(({ model }) => model))].map((id) => {
        const mine = own.filter(({ model }) => model === id).sort((a, b) => a.epsilon - b.epsilon);
        const column = (/** @type {keyof Row} */ name) => mine.map((row) => /** @type {any} */ (row[name]));
        return { id, x: column("epsilon"), y: column("value") };
      });
    },
  };
}

/** +.015, −.028 @param {number} difference */
export const signed = (difference) => `${difference < 0 ? "−" : "+"}${shareText(Math.abs(difference))}`;

const levelOf = (/** @type {Release} */ { epsilon, unit }) =>
  `ε = ${number(epsilon, 6)} per ${unit === "user" ? "user" : "check-in"}`;

/**
 * A release against the baselines: Popularity .285, −.162 against nearest cell.
 *
 * @param {ReturnType<typeof evaluationOf>} known
 * @param {Release} release
 * @param {{name: string}} measure
 * @param {Named[]} baselines
 */
export function comparisonText(known, release, measure, baselines) {
  const own = known.value(release.mechanism, measure.name, release);
  if (own === null && release.unusual.length)
    return `${release.title} was not evaluated: the evaluation has other values of ${release.unusual.join(", ")}.`;
  if (own === null) return `${release.title} was not evaluated at ${levelOf(release)}.`;
  const against = baselines
    .filter(({ name }) => name !== release.mechanism)
    .map(({ name, title }) => ({ title, value: known.value(name, measure.name, release) }))
    .flatMap(({ title, value }) => (value === null ? [] : [`${signed(own - value)} against ${title}`]));
  return [`${release.title} ${shareText(own)}`, ...against].join(" · ");
}

/**
 * That a release is worse than the public baseline, where it is; "" otherwise.
 *
 * @param {ReturnType<typeof evaluationOf>} known
 * @param {Release} release
 * @param {{name: string, short: string}} measure
 */
export function worseText(known, release, { name, short }) {
  const own = known.value(release.mechanism, name, release);
  const nearest = known.value(NEAREST, name, release);
  if (own === null || nearest === null || own >= nearest) return "";
  return (
    `${release.title} at ${levelOf(release)} is worse than the public baseline: the nearest cell, which reads no ` +
    `check-ins, has ${short} ${shareText(nearest)} against ${shareText(own)}.`
  );
}

/** The evaluation on the grid of a release; null where there is none. */
export const evaluationFor = (page, release) =>
  page.evaluations.find(({ grid }) => String(grid) === gridOf(release)) ?? null;

const SEED = 1;

/**
 * The parameters of each model: those of `shown` that it has, else its own defaults.
 *
 * @param {{name: string, fields: {name: string, value: any}[]}[]} models
 * @param {Record<string, any>} shown
 */
export const simulated = (models, shown) =>
  models.map(({ name, fields }) => ({
    name,
    ...Object.fromEntries(fields.map((field) => [field.name, shown[field.name] ?? field.value])),
  }));

/** The button that requests them and reloads the page once they are done. @param {any} page
 * @param {Problem} problem
 * @param {() => any} shown the release that is shown
 * @param {{busy: boolean}} work */
export const watchSimulations = (page, problem, shown, work) =>
  watchWork($("[data-simulate]"), problem, work, async (begun) => {
    const made = [];
    for (const mechanism of simulated(page.missing, shown().spec))
      made.push(await post(page.urls.releases, { dataset: page.dataset, mechanism, seed: SEED }));
    begun("Simulating…");
    await Promise.all(made.map(({ urls }) => poll(urls.self)));
    location.reload();
  });
