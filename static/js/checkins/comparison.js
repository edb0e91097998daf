/* The state of a comparison of check-ins: release, history, what was recommended; loaded, drawn, selected. */

import { get, post } from "../core/api.js";
import { readdress } from "../core/address.js";
import { $, announce } from "../core/dom.js";
import { cellName, gridOf } from "./grid_cells.js";
import { createVenueList, drawLegend, drawLists, drawRelease, markRow, venuesRelease } from "./comparison_text.js";
import { shareText } from "./evaluation.js";

const LONGEST = 50; // places in a history of the page

/**
 * @typedef {{release: any, grid: any, history: number[], density: "private" | "truth", answer: any, reference: any,
 *   model: any, truth: number[] | null, drawn: string}} State
 */

/** The history in the address of the page. @param {string | null} text @returns {number[]} */
export const historyOf = (text) =>
  (text ?? "")
    .split(",")
    .filter((one) => /^\d{1,6}$/.test(one))
    .map(Number)
    .slice(-LONGEST);

/** @param {State} state */
function remember({ release, history }) {
  readdress((url) => {
    url.searchParams.set("release", release.id);
    if (history.length) url.searchParams.set("history", history.join(","));
    else url.searchParams.delete("history");
  });
}

const cellsOf = (/** @type {any[]} */ cells) => cells.map(({ cell }) => cell);

/** A cell with its ranks. @param {State} state @param {number} cell */
function textOf({ grid, answer, reference }, cell) {
  const rankIn = (/** @type {any[]} */ cells) => cells.find((one) => one.cell === cell);
  const [found, beside] = [rankIn(answer.cells), rankIn(reference.markov)];
  const parts = [cellName(grid, cell)];
  if (found) parts.push(`rank ${found.rank}`, `score ${shareText(found.share)}`);
  if (beside) parts.push(`non-private rank ${beside.rank}`);
  return parts.join(", ");
}

/** What the server has of a release after a history. @param {State} state
 * @param {number} k
 * @param {AbortSignal} signal */
async function answersOf({ release: { urls }, history, density, truth }, k, signal) {
  const query = new URLSearchParams(history.map((cell) => ["history", String(cell)]));
  const [answer, reference, model, uploaded] = await Promise.all([
    post(urls.recommend, { history, k }, { signal }),
    post(urls.reference, { history, k }, { signal }),
    get(`${urls.map}?${query}`, { signal }),
    density === "truth" && !truth ? get(urls.truth, { signal }) : null,
  ]);
  return { answer, reference, model, truth: uploaded?.densities ?? truth, history: answer.history };
}

/**
 * The comparison of the page. `choose(release, history)`, `change(history)` and the others load what is missing and
 * draw it.
 *
 * @param {any} page
 * @param {{map: any, problem: any, evaluation: {show: (release: any) => any}, answer: (release: any) => any}} parts
 */
export function createComparison(page, { map, problem, evaluation, answer }) {
  /** @type {any} */
  const state = { release: null, grid: null, history: [], density: "private", truth: null, drawn: "" };
  /** @type {AbortController | null} */
  let running = null;
  const rows = $("[data-rows]");
  const name = (/** @type {number} */ cell) => cellName(state.grid, cell);
  const venues = createVenueList(problem);

  function draw() {
    const { answer, reference, model, history, density, truth } = state;
    const densities = density === "truth" ? truth : model.densities;
    const [recommended, beside] = [answer.cells, reference.markov].map(cellsOf);
    map.draw({ densities, boxes: model.boxes, recommended, reference: beside, history });
    drawLegend(state, densities);
  }

  const load = () =>
    problem.attempt(async () => {
      running?.abort();
      running = new AbortController();
      Object.assign(state, await answersOf(state, page.k, running.signal));
      if (state.drawn !== state.release.id) {
        state.grid = state.model;
        map.use(state.model);
        drawRelease(page, state);
        answer(state.release);
        await evaluation.show(state.release);
      }
      state.drawn = state.release.id;
      draw();
      drawLists(page, state, { name, remove, hover, add });
      remember(state);
      const counting = venuesRelease(page.releases, state.release, gridOf);
      await venues.show(counting, cellsOf(state.answer.cells), name);
    });

  /** @param {number[]} history */
  function change(history) {
    state.history = history.slice(-LONGEST);
    return load();
  }

  /** @param {number} index */
  const remove = (index) => change(state.history.filter((_, /** @type {number} */ i) => i !== index));

  /** @param {number} cell */
  function add(cell) {
    if (state.history.at(-1) === cell) return announce(`${name(cell)} is the last place already.`);
    return change([...state.history, cell]);
  }

  /** @param {number} cell */
  function hover(cell) {
    map.select(cell);
    markRow(rows, cell);
    $("[data-cell-text]").textContent = cell < 0 || !state.answer ? "" : textOf(state, cell);
  }

  return {
    state,
    add,
    change,
    hover,
    /** The history stays where the grid is the same. @param {any} release @param {number[]} history */
    choose(release, history = state.history) {
      const same = !state.release || gridOf(state.release) === gridOf(release);
      Object.assign(state, { release, history: same ? history : [], truth: same ? state.truth : null });
      return load();
    },
    redraw: () => state.answer && draw(),
    removeLast: () => change(state.history.slice(0, -1)),
    /** @param {number} cell */
    select(cell) {
      hover(cell);
      announce(textOf(state, cell));
    },
    /** @param {"private" | "truth"} density */
    setDensity(density) {
      state.density = density;
      return load();
    },
  };
}
