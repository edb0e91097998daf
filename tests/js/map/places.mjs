/* A view, places in it and a context, for the tests of what is drawn there. */
import { Positions } from "../../../static/js/map/positions.js";

/** A pixel to a degree, around 0, 0. */
export const VIEW = { width: 200, height: 100, zoom: 0, scale: 360, left: 80, top: 130 };
/** Positions at degrees from the middle; heights in pixels. */
export const positionsOf = (places, ends = null, middle = 0) =>
  new Positions(
    {
      lonE7: Int32Array.from(places, ([lon]) => lon * 1e7),
      y: Int32Array.from(places, ([, y]) => (y / 360) * 2 ** 32),
      ends,
    },
    middle,
  );
/** A context that notes what is called. */
export function noted() {
  const calls = [];
  const note =
    (name) =>
    (...given) =>
      void calls.push([name, ...given]);
  const ctx = {};
  for (const name of ["beginPath", "moveTo", "lineTo", "closePath", "arc", "rect", "stroke", "fill"])
    ctx[name] = note(name);
  return { ctx, calls };
}
