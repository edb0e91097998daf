/* Colours and dashes as data sees them: one description for the map, the charts and the legend.
 *
 * A colour is "#e69f00", a token ("--accent") or {light, dark, rim} as the API's mechanisms have it.
 */

/** @type {Record<string, number[]>} */
const PATTERNS = {
  solid: [],
  dash: [7, 4],
  dot: [2, 3],
  dashdot: [7, 3, 2, 3],
  longdash: [12, 4],
  longdashdot: [12, 3, 2, 3],
};

/** True while the page is dark. */
export function isDark() {
  return document.documentElement.dataset.theme === "dark";
}

/** The value of a CSS custom property: token("--foreground"). @param {string} name */
export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Any colour as CSS text for the present theme. @param {Colour | null | undefined} colour */
export function cssColour(colour) {
  if (!colour) return token("--foreground");
  if (typeof colour === "object") return isDark() ? colour.dark : colour.light;
  return colour.startsWith("--") ? token(colour) : colour;
}

/**
 * The edge of a line's markers in the present theme: its colour if that has enough contrast, else a darker one.
 *
 * @param {Colour | null | undefined} colour
 */
export function edgeColour(colour) {
  const rim = typeof colour === "object" ? colour?.rim : undefined;
  return rim && !isDark() ? rim : cssColour(colour);
}

/** A dash name as lengths in pixels. @param {string} name */
export function dashLengths(name) {
  return PATTERNS[name] ?? [];
}

/** Call `listener` whenever the theme changes. @param {() => void} listener */
export function onTheme(listener) {
  document.addEventListener("cairn:theme", () => listener());
}

/** False if the reader requested no motion. */
export function mayMove() {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}
