/* Colours and dashes as data sees them: one description for the map, the charts and the legend.
 *
 * A colour is "#e69f00", a token ("--accent") or {light, dark, rim} as the API's mechanisms have it.
 */

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

/** The value of a CSS custom property: token("--foreground"). */
export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Any colour as CSS text for the present theme. */
export function cssColour(colour) {
  if (!colour) return token("--foreground");
  if (typeof colour === "object") return isDark() ? colour.dark : colour.light;
  return colour.startsWith("--") ? token(colour) : colour;
}

/** What its markers are edged with, for the present theme: the colour itself where it is seen, else a darker kin. */
export function edgeColour(colour) {
  return colour?.rim && !isDark() ? colour.rim : cssColour(colour);
}

/** A dash name as lengths in pixels. */
export function dashLengths(name) {
  return PATTERNS[name] ?? [];
}

/** Call `listener` whenever the theme changes. */
export function onTheme(listener) {
  document.addEventListener("cairn:theme", () => listener());
}

/** False if the reader requested no motion. */
export function mayMove() {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}
