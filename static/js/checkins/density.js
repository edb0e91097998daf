/* Densities of cells as pixels. No page is needed for this module. */

const STRONGEST = 150; // opacity of the largest density, of 255

/**
 * Grey pixels whose opacity is the square root of each cell's share of the largest; none where nothing is above zero.
 *
 * @param {number[]} densities
 * @param {string} colour "#rrggbb"
 */
export function densityPixels(densities, colour) {
  const most = Math.max(...densities, 0);
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const pixels = new Uint8ClampedArray(4 * densities.length);
  densities.forEach((value, cell) => {
    const opacity = most > 0 ? Math.round(STRONGEST * Math.sqrt(Math.max(value, 0) / most)) : 0;
    pixels.set([red, green, blue, opacity], 4 * cell);
  });
  return pixels;
}
