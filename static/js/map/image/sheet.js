/* A map as an image for a publication: title, legend, the map with its scale bar, where the base map is from.
 *
 * One drawing for two surfaces (surfaces.js): pixels and SVG. All lengths are pixels of the page.
 */

import { token } from "../../core/series_style.js";
import { wrapped } from "../../core/text_lines.js";
import { distanceM, latAt } from "../projection.js";
import { lengthText, roundLength } from "../controls.js";
import { drawSample, SAMPLE } from "./samples.js";
import { drawTiles } from "./tiles_image.js";

export const EDGE = 16;
const [TITLE_PX, TEXT_PX, SMALL_PX] = [16, 12, 11];
const [TITLE_ROW, ROW, FOOT_ROW] = [24, 20, 17];
const [AFTER_SAMPLE, BETWEEN] = [6, 18];
const GROUND = ["base", "names", "graticule", "degrees"]; // layers that are of no one's data
const DRAWN_BY_HAND = ["selection", "sketch"];
export const WARNING = "Contains the original: for you alone, not for publication.";

/** @typedef {import("./surfaces.js").Surface} Surface */
/**
 * What a page states of its map: `entries` for the legend by layer, the layers that are `published`, `notes` for the
 * foot; `file` are the parts of the file's name.
 *
 * @typedef {{ids: string[], name: string, kind: string, style?: any}} Entry
 * @typedef {{title: string, entries: Entry[], published: string[], notes?: string[],
 *   file: string[]}} Description
 */

const textFont = (/** @type {number} */ px, weight = 400) => `${weight} ${px}px ${token("--sans") || "sans-serif"}`;

/** Whether a layer shows what was not published. @param {Description} description */
export const isPrivate =
  ({ published }) =>
  (/** @type {{id: string}} */ { id }) =>
    !GROUND.includes(id) && !published.includes(id);

/**
 * The layers of an image from the lowest, the published alone where `published`.
 *
 * @param {any[]} layers
 * @param {Description} description
 * @param {boolean} published
 */
export const layersFor = (layers, description, published) =>
  published ? layers.filter((layer) => !isPrivate(description)(layer)) : layers;

/** Whether an image of `layers` shows more than the published. @param {any[]} layers
 * @param {Description} description */
export const hasOriginal = (layers, description) =>
  layers.some((layer) => !DRAWN_BY_HAND.includes(layer.id) && isPrivate(description)(layer));

/**
 * Where the parts of an image lie, `width` wide with a map of `mapHeight`. `measured(font, text)` is a text's width.
 *
 * @param {{title: string, entries: Entry[], foot: string[]}} content
 * @param {{width: number, mapHeight: number}} size
 * @param {(font: string, text: string) => number} measured
 */
export function layoutOf({ title, entries, foot }, { width, mapHeight }, measured) {
  const inner = width - 2 * EDGE;
  const titles = wrapped(title, inner, (text) => measured(textFont(TITLE_PX, 600), text));
  /** @type {{entry: Entry, x: number, row: number}[]} */
  const legend = [];
  let [x, row] = [0, 0];
  for (const entry of entries) {
    const wide = SAMPLE.width + AFTER_SAMPLE + measured(textFont(TEXT_PX), entry.name);
    if (x > 0 && x + wide > inner) [x, row] = [0, row + 1];
    legend.push({ entry, x, row });
    x += wide + BETWEEN;
  }
  const legendTop = EDGE + titles.length * TITLE_ROW;
  const top = legendTop + (entries.length ? (row + 1) * ROW + 6 : 0);
  const lines = foot.flatMap((text) => wrapped(text, inner, (one) => measured(textFont(SMALL_PX), one)));
  const map = { x: EDGE, y: top, width: inner, height: mapHeight };
  const height = top + mapHeight + lines.length * FOOT_ROW + EDGE;
  return { titles, legend, legendTop, map, foot: lines, width, height };
}

/** @typedef {ReturnType<typeof layoutOf>} Layout */

/** Title, legend and foot. @param {CanvasRenderingContext2D} ctx
 * @param {Layout} layout
 * @param {(draw: () => void, x: number, y: number) => void} at */
function drawText(ctx, { titles, legend, legendTop, map, foot, width, height }, at) {
  ctx.fillStyle = token("--panel");
  ctx.fillRect(0, 0, width, height);
  ctx.fillStyle = token("--foreground");
  ctx.font = textFont(TITLE_PX, 600);
  titles.forEach((text, i) => ctx.fillText(text, EDGE, EDGE + 14 + i * TITLE_ROW));
  for (const { entry, x, row } of legend) {
    const y = legendTop + row * ROW;
    at(() => drawSample(ctx, entry.kind, entry.style ?? {}), EDGE + x, y + 2);
    ctx.font = textFont(TEXT_PX);
    ctx.fillStyle = token("--foreground");
    ctx.fillText(entry.name, EDGE + x + SAMPLE.width + AFTER_SAMPLE, y + 12);
  }
  ctx.font = textFont(SMALL_PX);
  const from = height - EDGE - foot.length * FOOT_ROW;
  foot.forEach((text, i) => {
    ctx.fillStyle = token(WARNING.startsWith(text) ? "--accent" : "--muted");
    ctx.fillText(text, EDGE, from + 16 + i * FOOT_ROW);
  });
  ctx.fillStyle = token("--map");
  ctx.fillRect(map.x, map.y, map.width, map.height);
}

/** The scale in the lower right corner of the map. @param {CanvasRenderingContext2D} ctx @param {View} view */
export function drawScale(ctx, { width, height, scale, left, top }) {
  const lat = latAt((top + height / 2) / scale);
  const lon = (/** @type {number} */ x) => ((left + x) / scale - 0.5) * 360;
  const metres = distanceM(lon(width / 2 - 60), lat, lon(width / 2 + 60), lat);
  if (!(metres > 0)) return;
  const length = roundLength(metres);
  const long = (120 * length) / metres;
  const [x, y] = [width - 12 - long, height - 12];
  ctx.font = textFont(SMALL_PX);
  [ctx.lineWidth, ctx.lineJoin, ctx.strokeStyle, ctx.fillStyle] = [3, "round", token("--map"), token("--foreground")];
  ctx.strokeText(lengthText(length), x, y - 6);
  ctx.fillText(lengthText(length), x, y - 6);
  ctx.fillRect(x, y - 2, long, 2);
}

/** Draw a layer, once more when it has counted what it shows. @param {any} ctx
 * @param {{copy: CopyLayer}} layer
 * @param {View} view */
async function paintLayer(ctx, { copy }, view) {
  let wake = () => {};
  const { draw, isPending } = copy(() => wake());
  draw(ctx, view, false);
  if (!isPending?.()) return;
  await new Promise((done) => (wake = () => done(null)));
  draw(ctx, view, false);
}

/**
 * Draw a whole image on `surface`: the layers as they lie in `view`, cut where a swipe cuts them.
 *
 * @param {Surface} surface
 * @param {Layout} layout
 * @param {{element: HTMLElement, layers: any[], view: View, clip: any}} map
 */
export async function drawSheet(surface, layout, { element, layers, view, clip }) {
  const { map } = layout;
  drawText(surface.ctx, layout, (draw, x, y) => surface.at(draw, x, y));
  const ground = layers.filter(({ id }) => GROUND.includes(id));
  const rest = layers.filter(({ id }) => !GROUND.includes(id));
  const tiles = (/** @type {CanvasRenderingContext2D} */ ctx) => drawTiles(ctx, element);
  if (element.querySelector(".base-tiles")) await surface.layer(map, tiles, { pixels: true });
  const order = [
    ...ground.filter(({ id }) => id !== "degrees"),
    ...rest,
    ...ground.filter(({ id }) => id === "degrees"),
  ];
  for (const layer of order)
    await surface.layer(map, (ctx) => paintLayer(ctx, layer, view), {
      pixels: layer.id === "base",
      opacity: layer.opacity,
      cut: clip.of(layer.id),
    });
  const split = clip.at();
  await surface.layer(map, (ctx) => {
    drawScale(ctx, view);
    ctx.fillStyle = token("--foreground");
    if (split !== null) ctx.fillRect(split * map.width - 0.5, 0, 1, map.height);
    ctx.strokeStyle = token("--line-strong");
    ctx.lineWidth = 1;
    ctx.strokeRect(0.5, 0.5, map.width - 1, map.height - 1);
  });
}

/**
 * What is written around the image of `layers`: legend entries of what is there, and what has to be known of it.
 *
 * @param {HTMLElement} element
 * @param {any[]} layers
 * @param {Description} description
 */
export function contentOf(element, layers, { title, entries, published, notes = [] }) {
  const there = new Set(layers.map(({ id }) => id));
  const whose = element.querySelector(".map-note__whose")?.textContent ?? "";
  const based = there.has("base") || element.querySelector(".base-tiles .leaflet-tile-loaded") !== null;
  const description = /** @type {any} */ ({ published });
  return {
    title,
    entries: entries.filter(({ ids }) => ids.some((id) => there.has(id))),
    foot: [
      ...(hasOriginal(layers, description) || there.has("selection") ? [WARNING] : []),
      ...notes,
      ...(based && whose ? [`Base map: ${whose}`] : []),
    ],
  };
}
