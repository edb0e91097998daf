/* Planar Laplace noise of a seed, at ε = 1 within a metre: scaled by radius over ε it is that of any level. */

/** Numbers in (0, 1), the same of the same seed (mulberry32). @param {number} seed */
export function uniforms(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
}

/** Draws of density e^-d / 2π at distance d, as columns east and north. @param {number} n @param {number} seed */
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
