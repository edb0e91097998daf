/* Noise of a seed, at ε = 1 within a metre: scaled by radius over ε it is that of any level. */

import { uniforms } from "../../core/uniforms.js";

/**
 * Parts of a joint draw of `together` events, each of the level `together` times smaller, as columns east and north:
 * uniform in a disc whose radius all share, here its mean.
 *
 * @param {number} n @param {number} seed @param {number} together
 */
export function jointNoise(n, seed, together) {
  const next = uniforms(seed);
  const radius = 2 + 1 / together;
  const [east, north] = [new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i++) {
    const distance = radius * Math.sqrt(next());
    const angle = 2 * Math.PI * next();
    east[i] = distance * Math.cos(angle);
    north[i] = distance * Math.sin(angle);
  }
  return { east, north };
}

/**
 * Planar Laplace draws, of density e^-d / 2π at distance d, as columns east and north.
 *
 * @param {number} n @param {number} seed
 */
export function planarNoise(n, seed) {
  const next = uniforms(seed);
  const [east, north] = [new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i++) {
    const distance = -Math.log(next() * next()); // the sum of two exponential draws
    const angle = 2 * Math.PI * next();
    east[i] = distance * Math.cos(angle);
    north[i] = distance * Math.sin(angle);
  }
  return { east, north };
}
