/* Cells of a grid: their names, places and densities. No page is needed for this module. */

const LETTERS = 26;
const NAME = /^([A-Z]{1,3}) ?([0-9]{1,5})$/;

/** A, B, …, Z, AA, AB, … @param {number} column */
export function columnName(column) {
  let [name, left] = ["", column + 1];
  while (left > 0) {
    left -= 1;
    name = String.fromCharCode(65 + (left % LETTERS)) + name;
    left = Math.floor(left / LETTERS);
  }
  return name;
}

/** The name of a cell: F7. @param {{columns: number, rows: number}} grid @param {number} cell */
export const cellName = ({ columns, rows }, cell) =>
  `${columnName(cell % columns)}${rows - Math.floor(cell / columns)}`;

/**
 * The cell of a name, in capitals or not; -1 for anything else.
 *
 * @param {{columns: number, rows: number}} grid
 * @param {string} name
 */
export function cellOf({ columns, rows }, name) {
  const [, letters, digits] = NAME.exec(name.trim().toUpperCase()) ?? [];
  if (!letters) return -1;
  const column = [...letters].reduce((found, letter) => found * LETTERS + letter.charCodeAt(0) - 64, 0) - 1;
  const row = rows - Number(digits);
  return column < columns && row >= 0 && row < rows ? row * columns + column : -1;
}

/** The names of all columns from the west, and of rows from the south. @param {{columns: number, rows: number}} grid */
export const axisNames = ({ columns, rows }) => ({
  columns: Array.from({ length: columns }, (_, column) => columnName(column)),
  rows: Array.from({ length: rows }, (_, row) => String(rows - row)),
});

/**
 * The cell next to another one in a direction; the same at the edge of the grid.
 *
 * @param {{columns: number, rows: number}} grid
 * @param {number} cell
 * @param {string} key of the keyboard
 */
export function neighbour({ columns, rows }, cell, key) {
  const [column, row] = [cell % columns, Math.floor(cell / columns)];
  const [dx, dy] = /** @type {Record<string, number[]>} */ ({
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, 1],
    ArrowDown: [0, -1],
  })[key] ?? [0, 0];
  const within = (/** @type {number} */ at, /** @type {number} */ size) => Math.min(Math.max(at, 0), size - 1);
  return within(row + dy, rows) * columns + within(column + dx, columns);
}

/**
 * The box of a cell in degrees.
 *
 * @param {Grid} grid
 * @param {number} cell
 * @returns {[number, number, number, number]}
 */
export function boxOf({ west, south, east, north, columns, rows }, cell) {
  const [width, height] = [(east - west) / columns, (north - south) / rows];
  const [x, y] = [west + (cell % columns) * width, south + Math.floor(cell / columns) * height];
  return [x, y, x + width, y + height];
}

/**
 * The middle of a cell, [longitude, latitude].
 *
 * @param {Grid} grid
 * @param {number} cell
 * @returns {[number, number]}
 */
export function middleOf(grid, cell) {
  const [west, south, east, north] = boxOf(grid, cell);
  return [(west + east) / 2, (south + north) / 2];
}

const STRONGEST = 150; // opacity of the largest density, of 255

/**
 * Grey pixels whose opacity is the square root of each cell's share of the largest; none where nothing is above zero.
 *
 * @param {number[]} densities
 * @param {string} colour "#rrggbb"
 */
export function densityPixels(densities, colour) {
  const most = Math.max(...densities, 0);
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const pixels = new Uint8ClampedArray(4 * densities.length);
  densities.forEach((value, cell) => {
    const opacity = most > 0 ? Math.round(STRONGEST * Math.sqrt(Math.max(value, 0) / most)) : 0;
    pixels.set([red, green, blue, opacity], 4 * cell);
  });
  return pixels;
}

/** The public grid of a release. @param {any} release */
export const gridOf = ({ spec: { west, south, east, north, side } }) => String([west, south, east, north, side]);
