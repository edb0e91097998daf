/* How wide a text is. */

/** @typedef {{family: string, size: number, weight?: number}} Font */

/** @type {CanvasRenderingContext2D | null} */
let measuring = null;

/** px. @param {string} text @param {Font} font */
export function widthOf(text, { family, size, weight = 400 }) {
  measuring ??= document.createElement("canvas").getContext("2d");
  if (!measuring) return text.length * size * 0.6;
  measuring.font = `${weight} ${size}px ${family}`;
  return measuring.measureText(text).width;
}
