/* The globe as the map draws it: web Mercator in a unit square, great circles in metres.
 *
 * Longitudes are taken within half a turn of the map's middle, so a walk over the antimeridian is drawn in one piece.
 */

/** Natural Earth is not drawn closer than this zoom: its Seine lies 400 m beside the river. */
export const BUILT_IN_ZOOM = 10;

export const EARTH_RADIUS_M = 6371008.8;
const RAD = Math.PI / 180;
const MAX_LAT = 85.0511287798;

/** Longitude within 180 degrees of `middle`. */
export function near(lon, middle) {
  return lon - 360 * Math.round((lon - middle) / 360);
}

/** Horizontal place in the unit square; beyond 0..1 on the world's copies. */
export function unitX(lon) {
  return lon / 360 + 0.5;
}

/** Vertical place in the unit square, 0 at the north. */
export function unitY(lat) {
  const clamped = Math.max(-MAX_LAT, Math.min(MAX_LAT, lat));
  return 0.5 - Math.asinh(Math.tan(clamped * RAD)) / (2 * Math.PI);
}

/** Latitude at a vertical place of the unit square. */
export function latAt(y) {
  return Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) / RAD;
}

/**
 * Where places lie in `view`, in pixels, on a map around the longitude `middle`.
 *
 * @param {Pick<View, "scale" | "left" | "top">} view
 * @param {number} middle
 * @returns {(lon: number, lat: number) => [number, number]}
 */
export const placer =
  ({ scale, left, top }, middle) =>
  (lon, lat) => [unitX(near(lon, middle)) * scale - left, unitY(lat) * scale - top];

/** Height on the map of a latitude in 1e-7 degrees: from the equator southwards, 2^32 to the world. */
export function heightE32(latE7) {
  const sine = Math.max(-0.9999, Math.min(0.9999, Math.sin(latE7 * (RAD / 1e7))));
  const place = Math.round((Math.log((1 - sine) / (1 + sine)) / (4 * Math.PI)) * 2 ** 32);
  return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, place));
}

/** Metres that a length of 1 in the unit square is, at the height y. */
export const metresAt = (y) => (2 * Math.PI * EARTH_RADIUS_M) / Math.cosh((0.5 - y) * 2 * Math.PI);

/** The box of [west, south, east, north] with east made larger than west, and its middle longitude. */
export function unrolled([west, south, east, north]) {
  const right = east < west ? east + 360 : east;
  return { west, south, east: right, north, middle: (west + right) / 2 };
}

/** Great-circle distance in metres. */
export function distanceM(lon1, lat1, lon2, lat2) {
  const dy = Math.sin(((lat2 - lat1) * RAD) / 2);
  const dx = Math.sin(((lon2 - lon1) * RAD) / 2);
  const h = dy * dy + Math.cos(lat1 * RAD) * Math.cos(lat2 * RAD) * dx * dx;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Corners of the circle of `radius` metres around a place, as [lon, lat] pairs. */
export function circle(lon, lat, radius, corners = 96) {
  const angle = radius / EARTH_RADIUS_M;
  const [sin, cos] = [Math.sin(lat * RAD), Math.cos(lat * RAD)];
  return Array.from({ length: corners + 1 }, (_, i) => {
    const bearing = (2 * Math.PI * i) / corners;
    const there = Math.asin(sin * Math.cos(angle) + cos * Math.sin(angle) * Math.cos(bearing));
    const turn = Math.atan2(Math.sin(bearing) * Math.sin(angle) * cos, Math.cos(angle) - sin * Math.sin(there));
    return [lon + turn / RAD, there / RAD];
  });
}
