/* The evaluation of models of check-ins: hit rates beside the models, and their chart against ε. */

import { post, poll } from "../core/api.js";
import { $, $$ } from "../core/dom.js";
import { createFigure } from "../charts/figure.js";
import { comparisonText, evaluationFor, evaluationOf, shareText, worseText } from "./evaluation_data.js";

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
  /** @type {any} */
  let release = null;
  let measure = page.measures.find((/** @type {any} */ { first }) => first);
  const chart = createRateChart(page);

  function show(/** @type {any} */ to) {
    release = to;
    const found = evaluationFor(page, release);
    const known = evaluationOf(found?.rows ?? []);
    showState(found);
    showHits(page, { release, known, measure, done: Boolean(found?.rows) });
    return found?.rows ? chart({ release, known, measure, found }) : undefined;
  }

  for (const button of $$("[data-measure]"))
    button.addEventListener("click", () => {
      for (const one of $$("[data-measure]")) one.setAttribute("aria-pressed", String(one === button));
      measure = page.measures.find((/** @type {any} */ { name }) => name === button.dataset.measure);
      return problem.attempt(async () => show(release));
    });
  watchStart(page, problem, work, () => release);
  return { show };
}

/** Show the chart, or that there is none yet. @param {any} found */
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

/** The chart, made when it is first shown. @param {any} page */
function createRateChart(page) {
  /** @type {Promise<any> | null} */
  let making = null;
  const host = $("[data-chart]");

  return async (/** @type {any} */ { release, known, measure, found }) => {
    making ??= createFigure(host, { title: measure.short, unit: "", name: "hit-rate", log: false });
    const figure = await making;
    const lines = known
      .lines(measure.name, release.unit)
      .map((/** @type {any} */ line) => ({
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
function watchStart(page, problem, work, shown) {
  const button = $("[data-evaluate]");
  button.addEventListener("click", () => {
    const { west, south, east, north, side } = shown().spec;
    const preset = { name: page.preset, west, south, east, north, side };
    button.disabled = work.busy = true;
    return problem.attempt(async () => {
      try {
        const made = await post(page.urls.experiments, { dataset: page.dataset, preset });
        button.textContent = "Evaluating…";
        const ended = await poll(made.urls.self);
        if (ended.state === "done") location.reload();
        else location.assign(made.urls.page);
      } finally {
        button.disabled = work.busy = false;
      }
    });
  });
}
