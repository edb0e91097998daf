/* All that a map shows, on one canvas: base map, layers as they lie and are cut, scale bar, who made the tiles. */

import { token } from "../core/series_style.js";
import { labelFont } from "./graticule.js";

const AIR = 10; // pixels between text and the edge

/**
 * A canvas with what `element`, a map, shows now, as sharp as the map's own. `cutOf(id)` gives the shares of the width
 * a layer is seen between, `split` where a swipe parts, or null. Tiles whose server lets no user copy them are left
 * out.
 */
export async function mapImage(element, { cutOf, split }) {
  const layers = [...element.querySelectorAll("canvas.map-canvas")].sort((a, b) => a.style.zIndex - b.style.zIndex);
  const ratio = layers[0].width / element.clientWidth;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [layers[0].width, layers[0].height];
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const size = { width: element.clientWidth, height: element.clientHeight };
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = token("--map");
  ctx.fillRect(0, 0, size.width, size.height);
  const place = placeIn(element);
  const tiled = await drawTiles(ctx, element, place);
  for (const layer of layers) drawLayer(ctx, layer, place(layer), cutOf(layer.dataset.layer), size);
  if (split !== null) drawSplit(ctx, split, size);
  drawScale(ctx, element, place);
  if (tiled || element.querySelector("canvas[data-layer=base]"))
    write(ctx, element.querySelector(".map-note__whose")?.textContent ?? "", AIR, size.height - AIR);
  return canvas;
}

/** Where other elements lie on a map: {x, y, width, height} in its pixels. */
function placeIn(element) {
  const ground = element.getBoundingClientRect();
  return (other) => {
    const { left, top, width, height } = other.getBoundingClientRect();
    return { x: left - ground.left, y: top - ground.top, width, height };
  };
}

function drawLayer(ctx, layer, { x, y, width, height }, [from, to], size) {
  ctx.save();
  ctx.globalAlpha = Number(layer.style.opacity || 1);
  ctx.beginPath();
  ctx.rect(from * size.width, 0, (to - from) * size.width, size.height);
  ctx.clip();
  ctx.drawImage(layer, x, y, width, height);
  ctx.restore();
}

/** Tiles as the style sheet draws them; returns whether there were any. */
async function drawTiles(ctx, element, place) {
  const tiles = [...element.querySelectorAll(".base-tiles .leaflet-tile-loaded")];
  // before anything moves
  const known = tiles.map((tile) => ({ box: place(tile), layer: tile.closest(".base-tiles") }));
  const copies = await Promise.all(tiles.map(copyOf));
  ctx.save();
  copies.forEach((copy, i) => {
    if (!copy) return;
    const { filter, opacity } = getComputedStyle(known[i].layer);
    ctx.filter = filter;
    ctx.globalAlpha = Number(opacity);
    const { x, y, width, height } = known[i].box;
    ctx.drawImage(copy, x, y, width, height);
  });
  ctx.restore();
  return copies.some(Boolean);
}

/** The tile, or one of another server that may be copied; null if it may not. */
async function copyOf(tile) {
  if (tile instanceof HTMLCanvasElement || new URL(tile.src).origin === location.origin) return tile;
  const copy = Object.assign(new Image(), { crossOrigin: "anonymous", referrerPolicy: "no-referrer", src: tile.src });
  return copy.decode().then(
    () => copy,
    () => null,
  );
}

function drawSplit(ctx, split, { width, height }) {
  ctx.fillStyle = token("--foreground");
  ctx.fillRect(split * width - 0.5, 0, 1, height);
}

function drawScale(ctx, element, place) {
  const bar = element.querySelector(".map-scale__bar");
  if (!bar) return;
  const { x, y, width, height } = place(bar);
  write(ctx, bar.previousElementSibling.textContent, x, y - 5);
  ctx.fillStyle = token("--foreground");
  ctx.fillRect(x, y, width, height);
}

function write(ctx, text, x, y) {
  ctx.font = labelFont();
  ctx.lineWidth = 3;
  ctx.lineJoin = "round";
  ctx.strokeStyle = token("--map");
  ctx.fillStyle = token("--foreground");
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}
