/* How wide a text is, and how it is broken into lines that fit. */

/** @typedef {{family: string, size: number, weight?: number}} Font */

/** @type {CanvasRenderingContext2D | null} */
let measuring = null;

/** px. @param {string} text
 * @param {Font} font */
export function widthOf(text, { family, size, weight = 400 }) {
  measuring ??= document.createElement("canvas").getContext("2d");
  if (!measuring) return text.length * size * 0.6;
  measuring.font = `${weight} ${size}px ${family}`;
  return measuring.measureText(text).width;
}

/**
 * Lines of a text that are at most `width` px wide where its spaces allow that; none of an empty one.
 *
 * @param {string} text
 * @param {number} width
 * @param {Font} font
 */
export function wrapped(text, width, font) {
  /** @type {string[]} */
  const lines = [];
  for (const part of text.split(" ").filter(Boolean)) {
    const longer = lines.length ? `${lines.at(-1)} ${part}` : part;
    if (lines.length && widthOf(longer, font) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}
