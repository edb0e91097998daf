/* The globe as the map draws it: web Mercator in a unit square, great circles in metres.
 *
 * Longitudes are taken within half a turn of the map's middle, so a walk over the antimeridian is drawn in one piece.
 */

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

const converted = new WeakMap(); // the same positions are drawn as line, dots and landmarks

/** Typed arrays of unit positions for positions in degrees (which are not changed afterwards). */
export function toUnit(lon, lat, middle) {
  const known = converted.get(lon);
  if (known?.lat === lat && known.middle === middle) return known.unit;
  const unit = convert(lon, lat, middle);
  converted.set(lon, { lat, middle, unit });
  return unit;
}

function convert(lon, lat, middle) {
  const x = new Float64Array(lon.length);
  const y = new Float64Array(lon.length);
  for (let i = 0; i < x.length; i++) {
    x[i] = unitX(near(lon[i], middle));
    y[i] = unitY(lat[i]);
  }
  return { x, y };
}

/** The box of [west, south, east, north] with east made larger than west, and its middle longitude. */
export function unrolled([west, south, east, north]) {
  const right = east < west ? east + 360 : east;
  return { west, south, east: right, north, middle: (west + right) / 2 };
}

/** Smallest [west, south, east, north] around positions, over the antimeridian if that is shorter. */
export function boundsOf(lon, lat) {
  if (!lon.length) return null;
  let [south, north] = [Infinity, -Infinity];
  for (const value of lat) {
    if (value < south) south = value;
    if (value > north) north = value;
  }
  const sorted = Float64Array.from(lon).sort();
  let [gap, at] = [sorted[0] + 360 - sorted[sorted.length - 1], 0];
  for (let i = 1; i < sorted.length; i++) {
    if (sorted[i] - sorted[i - 1] > gap) [gap, at] = [sorted[i] - sorted[i - 1], i];
  }
  const east = sorted[(at + sorted.length - 1) % sorted.length];
  return [sorted[at], south, east, north];
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
