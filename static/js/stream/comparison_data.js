/* What a comparison has loaded: counts, errors and budgets of the upload and of releases, each requested once. */

import { get, getBytes } from "../core/api.js";
import { withQuery } from "../core/address.js";
import { createOnce } from "../core/once.js";
import { logShades, rankShades, roundUp } from "./raster.js";

const MOST_GROUPINGS = 2; // whose clusters are shown

/**
 * @typedef {{id: string, title: string, brief: string, level: string, style: any, epsilon: number, window: number,
 *   seeded: boolean, unsound: string, statement: string, urls: Record<string, string>,
 *   figures: Record<string, number | null>}} Release
 * @typedef {{budgets: (number | null)[], window_spent: (number | null)[], most_spent: number | null, dimensions: {
 *   relative_error: (number | null)[], absolute_error: (number | null)[], correlation: (number | null)[]}}} Comparison
 */

/** @param {{truth: string, releases: Release[], axis: any}} page */
export function createComparisonData({ truth: truthUrl, releases }) {
  const requestOnce = createOnce();
  /** @type {Map<string, Cells>} */
  const cells = new Map();
  /** @type {Map<string, Comparison>} */
  const comparisons = new Map();
  /** @type {{of: string, cells: Cells} | null} */
  let difference = null;
  let shades = rankShades(new Float64Array());
  const truth = fetchCells(truthUrl);
  truth.catch(() => {}); // load() reports it
  const find = (/** @type {string} */ id) => /** @type {Release} */ (releases.find((one) => one.id === id));

  /** @param {string} id */
  async function load(id) {
    const { urls } = find(id);
    const both = requestOnce(id, () => Promise.all([fetchCells(urls.heat_map), get(urls.comparison)]));
    const [uploaded, [released, comparison]] = await Promise.all([truth, both]);
    if (!cells.has("truth")) shades = rankShades(uploaded.values);
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

  const lineOf = (/** @type {string} */ id, /** @type {string} */ name, style) => ({
    id,
    name,
    style,
    row: (/** @type {number} */ dimension) => /** @type {Cells} */ (cells.get(id)).row(dimension),
  });

  /** @param {Release} release @param {number} dimension */
  function groupingOf({ id, urls }, dimension) {
    const url = withQuery(urls.grouping, { dimension });
    return requestOnce(url, () => get(url)).then(({ grouping }) => grouping && { id, ...grouping });
  }

  return {
    load,
    cellsOf,
    /** @param {string} id */
    cells: (id) => cells.get(id),
    /** @param {string} id */
    comparisonOf: (id) => comparisons.get(id),
    /** The shades of counts, those of the truth, or of differences (`signed`). @param {boolean} signed */
    shades: (signed) => (signed ? logShades(roundUp(shades.limit)) : shades),
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

const MAGIC = 0x544d4843;
const VERSION = 2;
const HEADER = 24;

/** Counts of `dimensions` in `columns`: each column is a timestamp, or the mean of several. */
export class Cells {
  /** @param {number} columns @param {number} dimensions @param {Float64Array} values dimension after dimension */
  constructor(columns, dimensions, values) {
    this.columns = columns;
    this.dimensions = dimensions;
    this.values = values;
  }

  /** The columns of a dimension. @param {number} dimension */
  row(dimension) {
    return this.values.subarray(dimension * this.columns, (dimension + 1) * this.columns);
  }

  /** @param {number} dimension @param {number} column */
  at(dimension, column) {
    return this.values[dimension * this.columns + column];
  }
}

/** @param {ArrayBuffer} buffer */
export function decodeCells(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER || view.getUint32(0, true) !== MAGIC) throw new Error("These are no counts.");
  if (view.getUint32(4, true) !== VERSION)
    throw new Error("The data and the page have different versions: reload the page.");
  const [columns, dimensions] = [view.getUint32(12, true), view.getUint32(16, true)];
  return new Cells(columns, dimensions, new Float64Array(buffer, HEADER, columns * dimensions));
}

/** @param {string} url */
const fetchCells = async (url) => decodeCells(await getBytes(url));

/** published - truth. @param {Cells} published @param {Cells} truth */
export function differenceOf(published, truth) {
  const values = new Float64Array(truth.values.length);
  for (let i = 0; i < values.length; i += 1) values[i] = published.values[i] - truth.values[i];
  return new Cells(truth.columns, truth.dimensions, values);
}
