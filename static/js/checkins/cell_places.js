/* Where cells of a grid lie. No page is needed for this module. */

const LABELLED = 10; // cells with their rank on the map

/**
 * @typedef {{rank: number, cell: number, west: number, south: number, east: number, north: number,
 *   count: number}} Cell
 */

/** The centre of a cell as people write it: 40.7421° N, 73.9872° W. */
export function placeOf(/** @type {Cell} */ { west, south, east, north }) {
  const [lon, lat] = [(west + east) / 2, (south + north) / 2];
  return `${Math.abs(lat).toFixed(4)}° ${lat < 0 ? "S" : "N"}, ${Math.abs(lon).toFixed(4)}° ${lon < 0 ? "W" : "E"}`;
}

/** West, south, east and north around cells. */
export const boundsOf = (/** @type {Cell[]} */ cells) => [
  Math.min(...cells.map(({ west }) => west)),
  Math.min(...cells.map(({ south }) => south)),
  Math.max(...cells.map(({ east }) => east)),
  Math.max(...cells.map(({ north }) => north)),
];

/** A cell as a zone of the map, the first ones with their rank. */
export const polygonOf = (/** @type {Cell} */ { rank, west, south, east, north }) => ({
  type: "Polygon",
  coordinates: [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ],
  label: rank <= LABELLED ? String(rank) : "",
  inside: true,
});
