/* The comparison of check-ins: the next place after a history, by each model, on the map and in a table. */

import { get } from "../core/api.js";
import { $, $$, announce, data, el } from "../core/dom.js";
import { watchPressed } from "../core/elements.js";
import { count } from "../core/format.js";
import { onTheme } from "../core/series_style.js";
import { createProblemBox } from "../components/problem_box.js";
import { watchReleases } from "../components/job_status.js";
import { showBest } from "../checkins/best_model.js";
import { cellName, cellOf, gridOf } from "../checkins/grid_cells.js";
import { createRecommendMap } from "../checkins/recommend_map.js";
import { addRankingMenu } from "../checkins/comparison_text.js";
import { createEvaluation, watchSimulations } from "../checkins/evaluation.js";
import { createComparison, historyOf } from "../checkins/comparison.js";

const page = data("page-data");
const work = { busy: false };
const problem = page && createProblemBox($("[data-problem]"));

/** @typedef {ReturnType<typeof createComparison>} Comparison */

/** @param {Comparison} comparison @param {any} map */
function watchControls(comparison, map) {
  const { state } = comparison;
  for (const input of $$("[name=model]"))
    input.addEventListener("change", () => comparison.choose(page.releases.find(({ id }) => id === input.value)));
  for (const button of $$("[data-clear]")) button.addEventListener("click", () => comparison.change([]));
  for (const input of $$("[data-layer-name]"))
    input.addEventListener("change", () => {
      map.show(input.dataset.layerName, input.checked);
      $(`[data-legend="${input.dataset.layerName}"]`)?.toggleAttribute("data-off", !input.checked);
    });
  watchPressed("density", comparison.setDensity);
  $("[data-add-form]").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const input = $("[data-add]");
    const cell = cellOf(state.grid, input.value);
    const last = cellName(state.grid, state.grid.columns - 1).replace(/\d+/, String(state.grid.rows));
    if (cell < 0) return problem.show(`Cell must be a name from A1 to ${last}, got “${input.value}”.`);
    input.value = "";
    return comparison.add(cell);
  });
}

/** Histories of users: for the owner. @param {Comparison} comparison */
function watchUsers({ state, change }) {
  const input = $("[data-user]");
  let listed = false;
  input.addEventListener("focus", () => {
    if (listed) return;
    listed = true;
    problem.attempt(async () => {
      const { users } = await get(state.release.urls.histories);
      const option = ({ user, checkins }) => el("option", { value: user }, count(checkins, "check-in"));
      $("[data-users]").replaceChildren(...users.map(option));
    });
  });
  $("[data-user-form]").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!input.value) return;
    problem.attempt(async () => {
      const query = new URLSearchParams({ user: input.value, most: "1" });
      const { shown } = await get(`${state.release.urls.histories}?${query}`);
      if (shown.history.length) return change(shown.history);
      return announce(`User ${shown.user} has no check-in in the box of this model.`);
    });
  });
}

async function start() {
  const root = $("[data-recommend]");
  const query = new URLSearchParams(location.search);
  const map = createRecommendMap($("[data-map]"), {
    add: (cell) => comparison.add(cell),
    removeLast: () => comparison.removeLast(),
    select: (cell) => comparison.select(cell),
    hover: (cell) => comparison.hover(cell),
  });
  let grid = ""; // of the models that the answer is of
  const answer = (release) => {
    if (grid === gridOf(release)) return;
    grid = gridOf(release);
    problem.attempt(() => showBest(page, release));
  };
  const comparison = createComparison(page, {
    map,
    problem,
    answer,
    evaluation: createEvaluation(page, problem, work),
  });
  watchControls(comparison, map);
  watchUsers(comparison);
  watchSimulations(page, problem, () => comparison.state.release, work);
  addRankingMenu($("[data-ranking-menu]"), page, comparison.state);
  onTheme(comparison.redraw);
  const chosen = page.releases.find((one) => one.chosen);
  await comparison.choose(chosen, historyOf(query.get("history")));
  root.removeAttribute("aria-busy");
  root.dataset.ready = "all";
  performance.mark("cairn:interactive");
}

watchReleases(work);
if (page?.releases.length) await start();
