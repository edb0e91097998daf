/* A grid in degrees: rows from the south, columns from the west. */

import { near } from "./projection.js";

/**
 * @typedef {{west: number, south: number, east: number, north: number, columns: number, rows: number}} Grid
 */

/** The cell at a place; -1 outside the grid. @param {Grid} grid @param {{lon: number, lat: number}} place */
export function cellAt({ west, south, east, north, columns, rows }, { lon, lat }) {
  const at = near(lon, (west + east) / 2);
  if (at < west || at > east || lat < south || lat > north) return -1;
  const column = Math.min(Math.floor(((at - west) / (east - west)) * columns), columns - 1);
  const row = Math.min(Math.floor(((lat - south) / (north - south)) * rows), rows - 1);
  return row * columns + column;
}
