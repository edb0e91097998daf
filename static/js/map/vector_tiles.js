/* Vector tiles of this server as a Leaflet layer, in the page's colours, with the names of streets and places.
 *
 * protomaps-leaflet draws (static/vendor, loaded with the first such map); what is here is the style. The layers of
 * Protomaps' and of OpenMapTiles' schema are known by their names; others are not drawn.
 */

import { loadLibrary } from "../core/once.js";
import { token } from "../core/series_style.js";

const KINDS = ["kind", "class", "highway", "type"]; // properties that name what a feature is, the first there is
const GREEN = /park|forest|wood|grass|garden|nature|scrub|meadow|cemetery|golf|pitch|farm|orchard|vineyard/;
const WIDE = /motorway|trunk|primary|highway|major/;
const SMALL = /path|track|footway|cycleway|steps|service|other/;
const RAIL = /rail|transit|ferry/;
const CITY = /city|town|locality/;
const NAMES = ["name", "name:en", "name:latin"];

/** @typedef {{geomType: number, props: Record<string, any>}} Feature geomType 1 points, 2 lines, 3 areas */

/** protomaps-leaflet. */
const load = () => loadLibrary("vector-tiles", "protomapsL", "the vector tiles' library is not there");

export const kindOf = (/** @type {Feature} */ { props }) =>
  KINDS.map((name) => props[name]).find((kind) => typeof kind === "string") ?? "";

/** Of a street, in pixels. @param {string} kind @param {number} zoom */
export function roadWidth(kind, zoom) {
  if (RAIL.test(kind)) return 0.7;
  return (WIDE.test(kind) ? 2.2 : SMALL.test(kind) ? 0.7 : 1) * Math.min(Math.max(1, 1.35 ** (zoom - 12)), 9);
}

/** Whether a street is drawn: small ones from zoom 14 on. @param {number} zoom @param {Feature} feature */
const isDrawn = (zoom, feature) => zoom >= 14 || !SMALL.test(kindOf(feature));

/** Areas and lines from below, each layer by its names in either schema. @param {any} library */
function paintRules({ PolygonSymbolizer, LineSymbolizer }) {
  const area = (/** @type {string} */ name) => new PolygonSymbolizer({ fill: () => token(name) });
  const line = (/** @type {string} */ name, /** @type {any} */ options) =>
    new LineSymbolizer({ color: () => token(name), lineJoin: "round", ...options });
  const road = line("--map-street", {
    perFeature: true,
    width: (/** @type {number} */ zoom, /** @type {Feature} */ feature) => roadWidth(kindOf(feature), zoom),
  });
  const isArea = (/** @type {number} */ _, /** @type {Feature} */ { geomType }) => geomType === 3;
  const isLine = (/** @type {number} */ _, /** @type {Feature} */ { geomType }) => geomType === 2;
  const isGreen = (/** @type {number} */ zoom, /** @type {Feature} */ feature) =>
    isArea(zoom, feature) && GREEN.test(kindOf(feature));
  const rules = [
    { names: ["earth"], symbolizer: area("--map"), filter: isArea },
    { names: ["landcover", "landuse", "park"], symbolizer: area("--map-green"), filter: isGreen },
    { names: ["water", "physical_point"], symbolizer: area("--map-water"), filter: isArea },
    { names: ["water", "waterway", "physical_line"], symbolizer: line("--map-water", { width: 1.5 }), filter: isLine },
    { names: ["buildings", "building"], symbolizer: area("--map-road"), filter: isArea },
    { names: ["roads", "transportation", "transit"], symbolizer: road, filter: isDrawn },
    { names: ["boundaries", "boundary"], symbolizer: line("--map-border", { dash: [4, 3] }), filter: isLine },
  ];
  return byLayer(rules);
}

/** A rule for each layer that it names. @param {any[]} rules */
const byLayer = (rules) =>
  rules.flatMap(({ names, ...rule }) => names.map((/** @type {string} */ dataLayer) => ({ dataLayer, ...rule })));

/**
 * Names, those that matter most first, of the same size on the screen however tiles are scaled.
 *
 * @param {any} library
 * @param {(zoom: number) => number} scale of tiles of a zoom on the screen
 */
function labelRules({ CenteredTextSymbolizer, LineLabelSymbolizer }, scale) {
  const halo = { labelProps: NAMES, stroke: () => token("--map"), width: 2, lineHeight: 1.4 };
  const font =
    (/** @type {number} */ size, style = "400") =>
    (/** @type {number} */ zoom) =>
      `${style} ${size / scale(zoom)}px system-ui, sans-serif`;
  const place = (/** @type {(zoom: number) => string} */ of) =>
    new CenteredTextSymbolizer({ ...halo, fill: () => token("--foreground"), font: of });
  const street = new LineLabelSymbolizer({ ...halo, fill: () => token("--muted"), font: font(12) });
  const water = new CenteredTextSymbolizer({ ...halo, fill: () => token("--muted"), font: font(12, "italic 400") });
  const is =
    (/** @type {RegExp} */ kinds, wanted = true) =>
    (/** @type {number} */ _, /** @type {Feature} */ feature) =>
      kinds.test(kindOf(feature)) === wanted;
  const isPoint = (/** @type {number} */ _, /** @type {Feature} */ { geomType }) => geomType === 1;
  const sort = (/** @type {any} */ one, /** @type {any} */ other) => rankOf(one) - rankOf(other);
  const rules = [
    { names: ["places", "place"], symbolizer: place(font(14, "600")), filter: is(CITY), sort },
    { names: ["places", "place"], minzoom: 11, symbolizer: place(font(12)), filter: is(CITY, false), sort },
    { names: ["roads", "transportation_name"], minzoom: 12, symbolizer: street, filter: is(WIDE) },
    { names: ["water", "water_name"], symbolizer: water, filter: isPoint },
    { names: ["roads", "transportation_name"], minzoom: 14, symbolizer: street, filter: is(WIDE, false) },
  ];
  return byLayer(rules);
}

/** The lower, the sooner its name is placed. @param {Record<string, any>} props */
const rankOf = (props) => Number(props.min_zoom ?? props.rank ?? 20);

/**
 * Tiles as the library requests them: none for what the file does not hold.
 *
 * @param {string} template with {z}, {x} and {y}
 * @param {[number, number]} zooms that the file has
 */
export const source = (template, [from, to]) => ({
  async getZxy(/** @type {number} */ z, /** @type {number} */ x, /** @type {number} */ y, /** @type {any} */ signal) {
    if (z < from || z > to) return undefined;
    const address = template.replace("{z}", String(z)).replace("{x}", String(x)).replace("{y}", String(y));
    const answer = await fetch(address, { signal });
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return { data: await answer.arrayBuffer() };
  },
});

/** @param {string} template @param {[number, number]} zooms @param {Record<string, any>} options of L.GridLayer */
export async function vectorLayer(template, zooms, options) {
  const drawing = await load();
  const scale = (/** @type {number} */ zoom) => 2 ** ((layer._map?.getZoom() ?? zoom) - zoom);
  const layer = drawing.leafletLayer({
    ...options,
    attribution: "",
    url: source(template, zooms),
    maxDataZoom: zooms[1],
    paintRules: paintRules(drawing),
    labelRules: labelRules(drawing, scale),
    backgroundColor: token("--map"),
  });
  /** Draw again in the colours of the present theme. */
  layer.restyle = () => {
    layer.backgroundColor = token("--map");
    layer.rerenderTiles();
  };
  let drawn = 1;
  /** Draw again where tiles are scaled in another way: as sharp as the screen, with names of the same size. */
  layer.rescale = () => {
    const to = scale(layer._tileZoom);
    if (to === drawn) return;
    drawn = to;
    layer.tileSize = Math.round(256 * layer.devicePixelRatio * to);
    layer.clearLayout();
    layer.rerenderTiles();
  };
  layer.on("add", layer.rescale);
  return layer;
}
