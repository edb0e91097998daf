/* Vector tiles of this server as a Leaflet layer: areas and lines in the page's colours, without names.
 *
 * The layers of Protomaps' and of OpenMapTiles' schema are known by their names; those of others are drawn as thin
 * lines.
 */

import { token } from "../core/series_style.js";
import { layersOf } from "./vector_tile.js";

/** Layers from below, by their names in either schema: how areas and lines are drawn. */
const STYLES = [
  { names: ["earth"], fill: "--map" },
  { names: ["landuse", "landcover", "park"], fill: "--map-green" },
  { names: ["water", "waterway", "physical_line"], fill: "--map-water", line: "--map-water", width: 1.5 },
  { names: ["buildings", "building"], fill: "--map-road" },
  { names: ["transit"], line: "--map-border", width: 0.8 },
  { names: ["roads", "transportation"], line: "--map-road", width: 1.2 },
  { names: ["boundaries", "boundary"], line: "--map-border", width: 1, dashed: true },
];
/** Layers of points and of what only labels need. */
const SILENT = new Set(["places", "place", "pois", "poi", "housenumber", "water_name", "transportation_name",
  "mountain_peak", "aerodrome_label", "physical_point"]); // prettier-ignore
const OTHER = { names: [], line: "--map-border", width: 0.6 };
const GREEN = /park|forest|wood|grass|garden|nature|scrub|meadow|cemetery|golf|pitch|farm|orchard|vineyard/;
const WIDE = /motorway|trunk|primary|highway|major/;
const PAVED_LATER = /path|track|footway|cycleway|steps|service|other/;
const LARGEST_PX = 2048;

/** @typedef {import("./vector_tile.js").Layer} Layer */

/** @param {string} url with {z}, {x} and {y} @param {Record<string, any>} options of L.GridLayer */
export function vectorLayer(url, options) {
  layerClass ??= L.GridLayer.extend(METHODS);
  return new layerClass({ ...options, address: url });
}

/** @type {any} */
let layerClass = null;

/** @type {Record<string, any>} */
const METHODS = {
  createTile(coords, done) {
    /** @type {any} */
    const canvas = document.createElement("canvas");
    const size = this.getTileSize().x;
    const zoom = this._tileZoom;
    const address = L.Util.template(this.options.address, { z: coords.z, x: coords.x, y: coords.y });
    canvas.restyle = () => canvas.layers && drawTile(canvas, canvas.layers, size, zoom);
    read(address).then(
      (layers) => {
        canvas.layers = layers;
        canvas.restyle();
        done(null, canvas);
      },
      (error) => done(error, canvas),
    );
    return canvas;
  },
  /** Draw again in the colours of the present theme. */
  restyle() {
    for (const { el } of Object.values(this._tiles)) el.restyle();
  },
};

/** @param {string} address */
export async function read(address) {
  const answer = await fetch(address);
  if (answer.status === 404) return []; // beyond what the file holds
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return layersOf(await answer.arrayBuffer());
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Layer[]} layers
 * @param {number} size of the tile in pixels of the page
 * @param {number} zoom
 */
function drawTile(canvas, layers, size, zoom) {
  const ratio = Math.min(window.devicePixelRatio || 1, LARGEST_PX / size);
  canvas.width = canvas.height = Math.round(size * ratio);
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ctx.scale(ratio, ratio);
  if (!layers.length) return;
  ctx.fillStyle = token(layers.some(({ name }) => name === "earth") ? "--map-water" : "--map");
  ctx.fillRect(0, 0, size, size);
  ctx.lineJoin = ctx.lineCap = "round";
  const known = new Set(STYLES.flatMap(({ names }) => names));
  const rest = layers.filter(({ name }) => !known.has(name) && !SILENT.has(name));
  for (const style of STYLES) {
    for (const layer of layers) if (style.names.includes(layer.name)) drawLayer(ctx, layer, style, size, zoom);
  }
  for (const layer of rest) drawLayer(ctx, layer, OTHER, size, zoom);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Layer} layer
 * @param {{fill?: string, line?: string, width?: number, dashed?: boolean, names: string[]}} style
 * @param {number} size
 * @param {number} zoom
 */
function drawLayer(ctx, { extent, features }, style, size, zoom) {
  const scale = size / extent;
  const isGreen = style.fill === "--map-green";
  const isRoad = style.names.includes("roads");
  ctx.setLineDash(style.dashed ? [4, 3] : []);
  for (const { type, kind, rings } of features) {
    if (isGreen && !GREEN.test(kind)) continue;
    if (isRoad && zoom < 14 && PAVED_LATER.test(kind)) continue;
    const path = pathOf(rings, scale);
    if (type === 3 && style.fill) {
      ctx.fillStyle = token(style.fill);
      ctx.fill(path, "evenodd");
    } else if (type > 1 && style.line) {
      ctx.strokeStyle = token(style.line);
      ctx.lineWidth = (style.width ?? 1) * (isRoad ? roadWidth(kind, zoom) : 1);
      ctx.stroke(path);
    }
  }
}

export const roadWidth = (/** @type {string} */ kind, /** @type {number} */ zoom) =>
  (WIDE.test(kind) ? 2 : 1) * Math.max(1, 1.35 ** (zoom - 13));

/** @param {Int32Array[]} rings @param {number} scale */
function pathOf(rings, scale) {
  const path = new Path2D();
  for (const ring of rings) {
    path.moveTo(ring[0] * scale, ring[1] * scale);
    for (let i = 2; i < ring.length; i += 2) path.lineTo(ring[i] * scale, ring[i + 1] * scale);
  }
  return path;
}
