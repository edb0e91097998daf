/* Degrees of meridians and parallels as text, and how far these are apart. */

const WHOLE = [1, 2, 5, 10, 15, 30, 45, 90];
const APART_PX = 96;

/** The distance of two meridians in degrees: 1, 2 or 5 times a power of ten, at least about 96 pixels. */
export function stepFor(degreesPerPixel) {
  const wanted = degreesPerPixel * APART_PX;
  if (wanted > 0.5) return WHOLE.find((step) => step >= wanted) ?? 90;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * ([1, 2, 5].find((step) => step * power >= wanted * 0.999) ?? 10);
}

/** 2.35° E, 48.86° N, with as many decimals as the step has. */
export function degreesText(value, step, [positive, negative]) {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const wrapped = positive === "E" ? value - 360 * Math.round(value / 360) : value;
  const text = Math.abs(wrapped).toFixed(decimals);
  const side = Number(text) === 0 || Math.abs(wrapped) === 180 ? "" : ` ${wrapped > 0 ? positive : negative}`;
  return `${text}°${side}`;
}
