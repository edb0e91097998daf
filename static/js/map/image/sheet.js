/* A map as an image for a publication: title, legend, the map with its scale bar, where the base map is from. Tiles
 * whose server lets no user copy them are left out.
 *
 * One drawing for two surfaces (surfaces.js): pixels and SVG. All lengths are pixels of the page.
 */

import { cssColour, dashLengths, token } from "../../core/series_style.js";
import { wrapped } from "../../core/text_lines.js";
import { lengthText, roundLength } from "../controls.js";
import { circlePath, setText, write } from "../drawing.js";
import { distanceM, latAt } from "../projection.js";

const SAMPLE = { width: 28, height: 12 };
const MIDDLE = SAMPLE.height / 2;

/** Strokes of `lines`, each from (x, y) to (x, y). */
function stroke(ctx, colour, width, lines) {
  ctx.strokeStyle = cssColour(colour);
  ctx.lineWidth = width;
  for (const [x, y, toX, toY] of lines) {
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(toX, toY);
    ctx.stroke();
  }
}

/** A filled disc in the middle, with a line around it where that has a width. */
function disc(ctx, r, { fill, line = "--foreground", width = 0, x = 14, alpha = 1 }) {
  Object.assign(ctx, {
    fillStyle: cssColour(fill),
    strokeStyle: cssColour(line),
    lineWidth: width,
    globalAlpha: alpha,
  });
  circlePath(ctx, x, MIDDLE, r);
  ctx.fill();
  if (width) ctx.stroke();
  ctx.globalAlpha = 1;
}

const across = (y) => [1, y, SAMPLE.width - 1, y];

/** @type {Record<string, (ctx: any, style: {colour?: any, dash?: string, colours?: any[]}) => void>} */
const DRAW = {
  line(ctx, { colour, dash }) {
    ctx.setLineDash(dashLengths(dash));
    stroke(ctx, colour, 2, [across(MIDDLE)]);
    ctx.setLineDash([]);
  },
  points: (ctx, { colour }) => [5, 14, 23].forEach((x) => disc(ctx, 2, { fill: colour, x })),
  cloud: (ctx, style) => DRAW.points(ctx, style),
  density(ctx, { colour }) {
    ctx.fillStyle = cssColour(colour);
    [0.25, 0.5, 0.85].forEach((alpha, i) => {
      ctx.globalAlpha = alpha;
      ctx.fillRect(1 + 9 * i, 1.5, 8, 9);
    });
    ctx.globalAlpha = 1;
  },
  people: (ctx, { colours = [] }) =>
    colours.slice(0, 3).forEach((colour, i) => stroke(ctx, colour, 2, [across(2 + 4 * i)])),
  landmarks(ctx) {
    disc(ctx, 6, { fill: "--accent", alpha: 0.18 });
    disc(ctx, 3.5, { fill: "--accent" });
  },
  dummies: (ctx) => disc(ctx, 4, { fill: "--map", line: "--accent", width: 1.25 }),
  zones(ctx) {
    ctx.strokeStyle = ctx.fillStyle = cssColour("--accent");
    ctx.lineWidth = 1.25;
    ctx.globalAlpha = 0.1;
    ctx.fillRect(5, 1.5, 18, 9);
    ctx.globalAlpha = 1;
    ctx.strokeRect(5, 1.5, 18, 9);
  },
  guesses(ctx) {
    ctx.strokeStyle = token("--foreground");
    ctx.lineWidth = 1.75;
    ctx.strokeRect(3, 2, 8, 8);
    stroke(ctx, "--guess", 1.75, [
      [17, 2, 25, 10],
      [25, 2, 17, 10],
    ]);
  },
  guessed: (ctx) => DRAW.line(ctx, { colour: "--guess", dash: "2 3" }),
  selection: (ctx) => disc(ctx, 4.5, { fill: "--map", width: 2 }),
};

/** Draw what stands for a layer of `kind` at the context's origin, {@link SAMPLE} large. */
const drawSample = (ctx, kind, style) => (DRAW[kind] ?? DRAW.line)(ctx, style);

/**
 * Draw the tiles of `element`, a map, as they lie on it, with the opacity and the filter of the style sheet. Returns
 * whether there were any.
 */
async function drawTiles(ctx, element) {
  const tiles = /** @type {any[]} */ ([...element.querySelectorAll(".base-tiles .leaflet-tile-loaded")]);
  const ground = element.getBoundingClientRect();
  // before anything moves
  const known = tiles.map((tile) => ({ box: tile.getBoundingClientRect(), layer: tile.closest(".base-tiles") }));
  const copies = await Promise.all(tiles.map(copyOf));
  ctx.save();
  copies.forEach((copy, i) => {
    if (!copy) return;
    const { filter, opacity } = getComputedStyle(known[i].layer);
    ctx.filter = filter;
    ctx.globalAlpha = Number(opacity);
    const { left, top, width, height } = known[i].box;
    ctx.drawImage(copy, left - ground.left, top - ground.top, width, height);
  });
  ctx.restore();
  return copies.some(Boolean);
}

/** The tile, or one of another server that may be copied; null if it may not. @param {any} tile */
async function copyOf(tile) {
  if (tile instanceof HTMLCanvasElement || new URL(tile.src).origin === location.origin) return tile;
  const copy = Object.assign(new Image(), { crossOrigin: "anonymous", referrerPolicy: "no-referrer", src: tile.src });
  return copy.decode().then(
    () => copy,
    () => null,
  );
}

export const EDGE = 16;
const [TITLE_PX, TEXT_PX, SMALL_PX] = [16, 12, 11];
const [TITLE_ROW, ROW, FOOT_ROW] = [24, 20, 17];
const [AFTER_SAMPLE, BETWEEN] = [6, 18];
const GROUND = ["base", "names", "graticule", "degrees"]; // layers that are of no one's data
const DRAWN_BY_HAND = ["selection", "sketch"];
export const WARNING = "Contains the original: not for publication.";

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

/** Whether a layer shows what was not published. @param {Pick<Description, "published">} description */
export const isPrivate =
  ({ published }) =>
  (/** @type {{id: string}} */ { id }) =>
    !GROUND.includes(id) && !published.includes(id);

/**
 * The layers of an image from the lowest, the published alone where `published`.
 *
 * @param {any[]} layers
 * @param {Pick<Description, "published">} description
 * @param {boolean} published
 */
export const layersFor = (layers, description, published) =>
  published ? layers.filter((layer) => !isPrivate(description)(layer)) : layers;

/** Whether an image of `layers` shows more than the published. @param {any[]} layers
 * @param {Pick<Description, "published">} description */
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

/** Title, legend and foot; `at` as surfaces have it. */
function drawText(ctx, /** @type {Layout} */ { titles, legend, legendTop, map, foot, width, height }, at) {
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
  setText(ctx, { font: textFont(SMALL_PX) });
  write(ctx, lengthText(length), x, y - 6);
  ctx.fillRect(x, y - 2, long, 2);
}

/** Draw a layer, once more when it has counted what it shows. */
async function paintLayer(ctx, /** @type {{copy: CopyLayer}} */ { copy }, view) {
  let wake = () => {};
  const { draw, isPending } = copy(() => wake());
  draw(ctx, view, false);
  if (!isPending?.()) return;
  await new Promise((done) => (wake = () => done(null)));
  draw(ctx, view, false);
}

/** Draw a whole image on `surface`: the layers as they lie in `view`, cut where a swipe cuts them. */
export async function drawSheet(
  /** @type {Surface} */ surface,
  /** @type {Layout} */ layout,
  { element, layers, view, clip },
) {
  const { map } = layout;
  drawText(surface.ctx, layout, (draw, x, y) => surface.at(draw, x, y));
  if (element.querySelector(".base-tiles"))
    await surface.layer(map, (ctx) => drawTiles(ctx, element), { pixels: true });
  const height = (/** @type {{id: string}} */ { id }) => (id === "degrees" ? 2 : GROUND.includes(id) ? 0 : 1);
  for (const layer of [...layers].sort((a, b) => height(a) - height(b)))
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
  return {
    title,
    entries: entries.filter(({ ids }) => ids.some((id) => there.has(id))),
    foot: [
      ...(hasOriginal(layers, { published }) || there.has("selection") ? [WARNING] : []),
      ...notes,
      ...(based && whose ? [`Base map: ${whose}`] : []),
    ],
  };
}
