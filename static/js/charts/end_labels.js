/* Names at the right end of the lines of a chart, moved apart where lines end close together. */

/**
 * Heights for labels, at least `gap` apart, in order, as near to where they belong as that allows, within [0, height].
 *
 * @param {number[]} wanted heights of the ends, in pixels
 * @param {number} gap
 * @param {number} height
 */
export function spread(wanted, gap, height) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const found = Array(wanted.length).fill(0);
  let last = -gap;
  for (const i of order) {
    found[i] = Math.max(wanted[i], last + gap);
    last = found[i];
  }
  let limit = height;
  for (const i of [...order].reverse()) {
    found[i] = Math.min(found[i], limit);
    limit = found[i] - gap;
  }
  return found;
}

/**
 * The labels of `lines` as annotations of Plotly, for a plot `height` pixels high whose vertical axis is `axis`.
 *
 * @param {{name: string, y: (number | null)[], visible?: boolean, strong?: boolean}[]} lines
 * @param {{range: [number, number]}} axis
 * @param {number} height
 * @param {any} font
 */
export function endLabels(lines, axis, height, font) {
  const shown = lines.filter(({ visible = true, y }) => visible && y.length && y.at(-1) !== null);
  const [low, high] = axis.range;
  const at = shown.map(({ y }) => ((high - Number(y.at(-1))) / (high - low)) * height);
  const placed = spread(at, font.size + 2, height);
  return shown.map(({ name, strong }, i) => ({
    xref: "paper",
    x: 1,
    xanchor: "left",
    xshift: 6,
    yref: "paper",
    y: 1 - placed[i] / height,
    yanchor: "middle",
    text: name,
    showarrow: false,
    align: "left",
    font: strong ? { ...font, weight: 700 } : font,
  }));
}

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
