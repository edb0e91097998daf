/* Zones as the API takes them: {type: "Polygon", coordinates, label} and {type: "Circle", center, radius_m, label}.
 *
 * Nothing here changes a zone: every change gives a new one. Longitudes are degrees within -180..180; edges are
 * straight in degrees, as GeoJSON gives it.
 */

import { circle, distanceM, EARTH_RADIUS_M, near } from "../../map/projection.js";

/** What a circle's radius may be, in metres. */
export const RADIUS_M = { minimum: 0.1, maximum: 2e7 };

const RAD = Math.PI / 180;

/** Seven decimals, a centimetre: what tracks have. */
const degrees = (value) => Number(value.toFixed(7));

/** A position as the API takes it. */
export const position = (lon, lat) => [degrees(near(lon, 0)), degrees(Math.max(-90, Math.min(90, lat)))];

/** A circle of a radius that was drawn: six digits of it. One that was typed is stored by `typedCircle`. */
export const circleZone = (lon, lat, radius, label = "") => ({
  type: "Circle",
  center: position(lon, lat),
  radius_m: Number(radius.toPrecision(6)),
  label,
});

export const typedCircle = (lon, lat, radius_m) => ({ ...circleZone(lon, lat, radius_m), radius_m });

/** A polygon from its corners, the last not repeated. */
export function polygonZone(corners, label = "") {
  const ring = corners.map(([lon, lat]) => position(lon, lat));
  return { type: "Polygon", coordinates: [[...ring, ring[0]]], label };
}

/** Corners of a polygon's outer ring, the last not repeated. */
export const cornersOf = (zone) => zone.coordinates[0].slice(0, -1);

/** Its label, or what it is called without one. */
export const nameOf = (zone, index) => zone.label || `${zone.type === "Circle" ? "Circle" : "Polygon"} ${index + 1}`;

/** Where a zone is taken hold of: the centre of a circle, the middle of a polygon's box. */
export function middleOf(zone) {
  if (zone.type === "Circle") return zone.center;
  const corners = cornersOf(zone);
  let last = corners[0][0];
  const lons = corners.map(([lon]) => (last = near(lon, last)));
  const lats = corners.map(([, lat]) => lat);
  return [(Math.min(...lons) + Math.max(...lons)) / 2, (Math.min(...lats) + Math.max(...lats)) / 2];
}

/** Square metres: of a circle's cap, of a polygon on the sphere less its holes. */
export function areaM2(zone) {
  if (zone.type === "Circle") return 2 * Math.PI * EARTH_RADIUS_M ** 2 * (1 - Math.cos(zone.radius_m / EARTH_RADIUS_M));
  const [outer, ...holes] = zone.coordinates.map(ringArea);
  return outer - holes.reduce((sum, one) => sum + one, 0);
}

function ringArea(ring) {
  let sum = 0;
  for (let i = 1; i < ring.length; i++) {
    const [[lon1, lat1], [lon2, lat2]] = [ring[i - 1], ring[i]];
    sum += near(lon2 - lon1, 0) * RAD * (Math.sin(lat1 * RAD) + Math.sin(lat2 * RAD));
  }
  return Math.abs(sum / 2) * EARTH_RADIUS_M ** 2;
}

/** Whether a place lies in a zone. */
export function contains(zone, lon, lat) {
  if (zone.type === "Circle") return distanceM(lon, lat, ...zone.center) <= zone.radius_m;
  let inside = false;
  for (const ring of zone.coordinates) {
    for (let i = 1; i < ring.length; i++) {
      const x1 = near(ring[i - 1][0] - lon, 0);
      const x2 = near(ring[i][0] - lon, x1); // an edge goes the short way round
      const [y1, y2] = [ring[i - 1][1] - lat, ring[i][1] - lat];
      if (x1 > 0 !== x2 > 0 && y1 - (x1 * (y2 - y1)) / (x2 - x1) > 0) inside = !inside; // north of the place
    }
  }
  return inside;
}

/** The smallest zone at a place; -1 if there is none. */
export function zoneAt(zones, lon, lat) {
  const found = zones.map((zone, index) => ({ zone, index })).filter(({ zone }) => contains(zone, lon, lat));
  return found.sort((a, b) => areaM2(a.zone) - areaM2(b.zone))[0]?.index ?? -1;
}

const counted = new WeakMap(); // zone -> { track, count }: zones are never changed

/** How many events of a track lie in a zone. */
export function eventsIn(zone, track) {
  const known = counted.get(zone);
  if (known?.track === track) return known.count;
  const [south, north] = band(zone); // most events of a long track lie elsewhere
  let count = 0;
  for (let i = 0; i < track.n; i++) {
    const lat = track.latAt(i);
    if (lat >= south && lat <= north && contains(zone, track.lonAt(i), lat)) count += 1;
  }
  counted.set(zone, { track, count });
  return count;
}

/** A set's zones as they are edited here: a multipolygon is its parts, a label is never missing. */
export const asDrawn = (zones) =>
  zones.flatMap(({ label = "", ...zone }) =>
    zone.type === "MultiPolygon"
      ? zone.coordinates.map((coordinates) => ({ type: "Polygon", coordinates, label }))
      : [{ ...zone, label }],
  );

/** Latitudes a zone lies between, or wider. */
function band(zone) {
  if (zone.type === "Circle") {
    const reach = (zone.radius_m / EARTH_RADIUS_M / RAD) * (1 + 1e-9);
    return [zone.center[1] - reach, zone.center[1] + reach];
  }
  const lats = zone.coordinates[0].map(([, lat]) => lat);
  return [Math.min(...lats), Math.max(...lats)];
}

// Handles ---------------------------------------------------------------------------

/** What can be moved of a zone: {id, lon, lat, kind, label}. */
export function handlesOf(zone, name) {
  const [lon, lat] = middleOf(zone);
  const centre = { id: "centre", lon, lat, kind: "centre", label: `Move ${name}` };
  if (zone.type === "Circle") {
    const [east, there] = circle(lon, lat, zone.radius_m, 4)[1];
    return [centre, { id: "radius", lon: east, lat: there, kind: "corner", label: `Radius of ${name}` }];
  }
  const corners = cornersOf(zone);
  const found = [centre];
  corners.forEach(([x, y], i) => {
    const [nextX, nextY] = corners[(i + 1) % corners.length];
    found.push({ id: `corner-${i}`, lon: x, lat: y, kind: "corner", label: `Corner ${i + 1} of ${name}` });
    const label = `New corner after corner ${i + 1} of ${name}`;
    found.push({ id: `between-${i}`, lon: (x + near(nextX, x)) / 2, lat: (y + nextY) / 2, kind: "between", label });
  });
  return found;
}

/** The zone once a handle is at (lon, lat). */
export function moved(zone, id, lon, lat) {
  if (id === "radius")
    return { ...zone, radius_m: Number(Math.max(0.1, distanceM(lon, lat, ...zone.center)).toPrecision(6)) };
  if (id === "centre") return shifted(zone, lon, lat);
  const corners = cornersOf(zone);
  const [kind, index] = [id.split("-")[0], Number(id.split("-")[1])];
  corners.splice(kind === "corner" ? index : index + 1, kind === "corner" ? 1 : 0, position(lon, lat));
  return withCorners(zone, corners);
}

/** Without one of its corners; the zone itself where only three are left. */
export function withoutCorner(zone, index) {
  const corners = cornersOf(zone);
  if (corners.length <= 3) return zone;
  return withCorners(zone, corners.toSpliced(index, 1));
}

const withCorners = (zone, corners) => ({
  ...zone,
  coordinates: [[...corners, corners[0]], ...zone.coordinates.slice(1)],
});

function shifted(zone, lon, lat) {
  if (zone.type === "Circle") return { ...zone, center: position(lon, lat) };
  const [fromLon, fromLat] = middleOf(zone);
  const move = ([x, y]) => position(x + lon - fromLon, y + lat - fromLat);
  return { ...zone, coordinates: zone.coordinates.map((ring) => ring.map(move)) };
}

// GeoJSON ---------------------------------------------------------------------------

/** Zones as a FeatureCollection: a circle is a Point with `radius_m`. */
export function toGeoJSON(zones) {
  const features = zones.map((zone) => ({
    type: "Feature",
    properties: zone.type === "Circle" ? { label: zone.label, radius_m: zone.radius_m } : { label: zone.label },
    geometry:
      zone.type === "Circle"
        ? { type: "Point", coordinates: zone.center }
        : { type: "Polygon", coordinates: zone.coordinates },
  }));
  return { type: "FeatureCollection", features };
}

const KINDS = "polygons, or points with a property radius_m";

/**
 * Zones of a GeoJSON text: polygons, multipolygons (a zone for each part), and points that carry `radius_m`. Their
 * coordinates are taken as they are: the engine names what is wrong with them. Throws an Error where it is something
 * else.
 */
export function fromGeoJSON(text) {
  let found;
  try {
    found = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new Error(`This is not JSON. Choose a GeoJSON file with ${KINDS}.`);
  }
  const features = found?.type === "FeatureCollection" ? found.features : [found];
  if (!Array.isArray(features) || !features.length) throw new Error(`It has no features: zones are ${KINDS}.`);
  const partsOf = (part) => (part?.type === "Feature" ? [part.geometry, part.properties] : [part, null]);
  return features.flatMap((part, i) => zonesOf(...partsOf(part), i));
}

function zonesOf(geometry, properties, index) {
  const { label, name, title, radius_m, radius = radius_m } = properties ?? {};
  const text = [label, name, title].find((one) => typeof one === "string" && one) ?? "";
  const coordinates = flat(geometry?.coordinates);
  if (geometry?.type === "Polygon") return [{ type: "Polygon", coordinates, label: text }];
  if (geometry?.type === "MultiPolygon" && Array.isArray(coordinates))
    return coordinates.map((one) => ({ type: "Polygon", coordinates: one, label: text }));
  if (geometry?.type === "Point" && radius !== undefined)
    return [{ type: "Circle", center: coordinates, radius_m: radius, label: text }];
  if (geometry?.type === "GeometryCollection" && Array.isArray(geometry.geometries))
    return geometry.geometries.flatMap((one) => zonesOf(one, properties, index));
  const shape = geometry?.type ? `a ${String(geometry.type).slice(0, 40)}` : "no shape";
  throw new Error(`Feature ${index + 1} is ${shape}: zones are ${KINDS}.`);
}

/** Positions without their altitude. */
function flat(nested) {
  if (!Array.isArray(nested)) return nested;
  return Array.isArray(nested[0]) ? nested.map(flat) : nested.slice(0, 2);
}
