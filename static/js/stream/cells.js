/* All counts of an upload or a release, as dashboard/datasets/heat_maps.py sends them. */

import { getBytes } from "../core/api.js";

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
export const fetchCells = async (url) => decodeCells(await getBytes(url));

/** published - truth. @param {Cells} published @param {Cells} truth */
export function differenceOf(published, truth) {
  const values = new Float64Array(truth.values.length);
  for (let i = 0; i < values.length; i += 1) values[i] = published.values[i] - truth.values[i];
  return new Cells(truth.columns, truth.dimensions, values);
}
