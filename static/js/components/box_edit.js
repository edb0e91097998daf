/* A box in degrees that is moved by its corners and by its middle. It never crosses the antimeridian. */

/** @typedef {{west: number, south: number, east: number, north: number}} Box */

const LEAST = 1e-3; // between two sides
const DECIMALS = 4; // of degrees: eleven metres
const CORNERS = {
  "south-west": "Lower left corner of the box",
  "south-east": "Lower right corner of the box",
  "north-west": "Upper left corner of the box",
  "north-east": "Upper right corner of the box",
};

const within = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) =>
  Math.min(Math.max(value, low), high);
const rounded = (/** @type {number} */ value) => Number(value.toFixed(DECIMALS));

/** Whether four values are the sides of a box. @param {Record<string, unknown> | null} sides @returns {sides is Box} */
export function isBox(sides) {
  const { west, south, east, north } = /** @type {any} */ (sides ?? {});
  if (![west, south, east, north].every((side) => Number.isFinite(side))) return false;
  return -180 <= west && west < east && east <= 180 && -90 <= south && south < north && north <= 90;
}

/** The box with sides of four decimals, on the globe. @param {Box} box @returns {Box} */
export function roundedBox({ west, south, east, north }) {
  const [low, bottom] = [within(rounded(west), -180, 180 - LEAST), within(rounded(south), -90, 90 - LEAST)];
  return {
    west: low,
    south: bottom,
    east: rounded(within(rounded(east), low + LEAST, 180)),
    north: rounded(within(rounded(north), bottom + LEAST, 90)),
  };
}

/**
 * The box once the handle `id` (a corner, or "centre") is at a place: a corner stops before the sides opposite to it,
 * the middle where a side is at the end of the globe.
 *
 * @param {Box} box
 * @param {string} id
 * @param {number} lon
 * @param {number} lat
 * @returns {Box}
 */
export function draggedBox(box, id, lon, lat) {
  const { west, south, east, north } = box;
  if (id === "centre") {
    const right = within(lon - (west + east) / 2, -180 - west, 180 - east);
    const up = within(lat - (south + north) / 2, -90 - south, 90 - north);
    return roundedBox({ west: west + right, south: south + up, east: east + right, north: north + up });
  }
  const moved = { ...box };
  if (id.endsWith("west")) moved.west = within(lon, -180, east - LEAST);
  else moved.east = within(lon, west + LEAST, 180);
  if (id.startsWith("south")) moved.south = within(lat, -90, north - LEAST);
  else moved.north = within(lat, south + LEAST, 90);
  return roundedBox(moved);
}

/** The handles of a box, as the map takes them. @param {Box} box */
export function handlesOf(box) {
  const corners = Object.entries(CORNERS).map(([id, label]) => ({
    id,
    lon: id.endsWith("west") ? box.west : box.east,
    lat: id.startsWith("south") ? box.south : box.north,
    kind: "corner",
    label,
  }));
  const middle = { lon: (box.west + box.east) / 2, lat: (box.south + box.north) / 2 };
  return [...corners, { id: "centre", ...middle, kind: "centre", label: "Middle of the box: moves all of it" }];
}
