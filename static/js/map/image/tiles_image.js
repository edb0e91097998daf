/* The tiles of a base map on a canvas of our own. Tiles whose server lets no user copy them are left out. */

/**
 * Draw the tiles of `element`, a map, as they lie on it, with the opacity and the filter of the style sheet. Returns
 * whether there were any.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {HTMLElement} element
 */
export async function drawTiles(ctx, element) {
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
