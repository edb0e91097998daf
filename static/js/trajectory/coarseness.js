/* How large noise is on a map. */

const METRES_PER_DEGREE = 111_195;
const LARGEST_PX = 54; // of a circle in its drawing

/**
 * Radii in pixels of the circles that hold half and 19 of 20 of the noise. `fits` is false where the larger one would
 * leave its drawing: both are then smaller by the same factor.
 *
 * @param {{half: number, most: number}} noiseM metres
 * @param {number} pixelsPerDegree of latitude
 */
export function circleRadii({ half, most }, pixelsPerDegree) {
  const perMetre = pixelsPerDegree / METRES_PER_DEGREE;
  const fits = most * perMetre <= LARGEST_PX;
  const scale = fits ? perMetre : LARGEST_PX / most;
  return { fits, radii: { half: half * scale, most: most * scale } };
}
