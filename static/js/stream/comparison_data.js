/* What a comparison has loaded: counts, errors and budgets of the upload and of releases, each requested once. */

import { get } from "../core/api.js";
import { withQuery } from "../core/address.js";
import { differenceOf, fetchCells } from "./cells.js";

const MOST_GROUPINGS = 2; // whose clusters are shown

/**
 * @typedef {import("./cells.js").Cells} Cells
 * @typedef {{id: string, title: string, brief: string, level: string, style: any, epsilon: number, window: number,
 *   seeded: boolean, unsound: string, statement: string, urls: Record<string, string>,
 *   figures: Record<string, number | null>}} Release
 * @typedef {{budgets: (number | null)[], window_spent: (number | null)[], most_spent: number | null, dimensions: {
 *   relative_error: (number | null)[], absolute_error: (number | null)[], correlation: (number | null)[]}}} Comparison
 */

/** @param {{truth: string, releases: Release[], axis: any}} page */
export function createComparisonData({ truth: truthUrl, releases }) {
  /** @type {Map<string, Promise<[Cells, Comparison]>>} */
  const requested = new Map();
  /** @type {Map<string, Cells>} */
  const cells = new Map();
  /** @type {Map<string, Comparison>} */
  const comparisons = new Map();
  /** @type {Map<string, Promise<any>>} */
  const groupings = new Map();
  /** @type {{of: string, cells: Cells} | null} */
  let difference = null;
  let largest = 1;
  const truth = fetchCells(truthUrl);
  truth.catch(() => {}); // load() reports it
  const find = (/** @type {string} */ id) => /** @type {Release} */ (releases.find((one) => one.id === id));

  /** @param {string} id */
  async function load(id) {
    const { urls } = find(id);
    if (!requested.has(id)) {
      const both = Promise.all([fetchCells(urls.heat_map), get(urls.comparison)]);
      both.catch(() => requested.delete(id)); // the next attempt requests it again
      requested.set(id, both);
    }
    const both = /** @type {Promise<[Cells, Comparison]>} */ (requested.get(id));
    const [uploaded, [released, comparison]] = await Promise.all([truth, both]);
    if (!cells.has("truth")) for (const value of uploaded.values) largest = Math.max(largest, value);
    cells.set("truth", uploaded).set(id, released);
    comparisons.set(id, comparison);
  }

  /** @param {string} view @param {string} id */
  function cellsOf(view, id) {
    if (view === "truth") return cells.get("truth");
    const [released, uploaded] = [cells.get(id), cells.get("truth")];
    if (view === "release" || !released || !uploaded) return released;
    if (difference?.of !== id) difference = { of: id, cells: differenceOf(released, uploaded) };
    return difference.cells;
  }

  const lineOf = (/** @type {string} */ id, /** @type {string} */ name, /** @type {any} */ style) => ({
    id,
    name,
    style,
    row: (/** @type {number} */ dimension) => /** @type {Cells} */ (cells.get(id)).row(dimension),
  });

  /** @param {Release} release @param {number} dimension */
  function groupingOf({ id, urls }, dimension) {
    const url = withQuery(urls.grouping, { dimension });
    if (!groupings.has(url)) groupings.set(url, get(url));
    const found = /** @type {Promise<any>} */ (groupings.get(url));
    found.catch(() => groupings.delete(url));
    return found.then(({ grouping }) => grouping && { id, ...grouping });
  }

  return {
    load,
    cellsOf,
    /** @param {string} id */
    cells: (id) => cells.get(id),
    /** @param {string} id */
    comparisonOf: (id) => comparisons.get(id),
    /** The largest true count. */
    largest: () => largest,
    /** Visible releases that are loaded, the shown one first. @param {{shown: Release, visible: Set<string>}} state */
    visibleReleases({ shown, visible }) {
      const others = releases.filter((one) => one.id !== shown.id && visible.has(one.id));
      return [...(visible.has(shown.id) ? [shown] : []), ...others].filter(({ id }) => cells.has(id));
    },
    lineOfTruth: () => lineOf("truth", "Truth", { colour: "--foreground", dash: "", width: 1 }),
    /** @param {Release[]} which */
    linesOf: (which) => which.map(({ id, title, style }) => lineOf(id, title, { ...style, width: 2 })),
    /** How releases grouped a dimension, of those that report it. @param {Release[]} which @param {number} dimension */
    async groupings(which, dimension) {
      const found = await Promise.all(which.map((one) => groupingOf(one, dimension)));
      return found
        .flatMap((one, i) => (one ? [{ name: which[i].brief, colour: which[i].style.colour, ...one }] : []))
        .slice(0, MOST_GROUPINGS);
    },
    /** The mean of the true counts above 0, for a first threshold. */
    typicalCount() {
      const values = cells.get("truth")?.values.filter((value) => value > 0) ?? new Float64Array();
      return Math.max(1, Math.round(values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)));
    },
  };
}
