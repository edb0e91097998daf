/* Colours and dashes as the map, the charts and the legend draw them; those of mechanisms are in
 * dashboard/core/palette.py.
 *
 * A colour is "#e69f00", a token ("--accent") or {name, light, dark} as the API's mechanisms have it. A dash has the
 * lengths of dashes and gaps in pixels, "7 3 2 3"; it is empty for a whole line.
 */

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

/** Any colour as CSS of both themes. @param {Colour} colour */
export function themedColour(colour) {
  if (typeof colour === "object") return `light-dark(${colour.light}, ${colour.dark})`;
  return colour.startsWith("--") ? `var(${colour})` : colour;
}

/** A dash as lengths in pixels, for a canvas. @param {string | null | undefined} dash */
export function dashLengths(dash) {
  return dash ? dash.split(" ").map(Number) : [];
}

/** A dash as Plotly takes it. @param {string | null | undefined} dash */
export function plotDash(dash) {
  return dash ? dash.replaceAll(/\d+/g, "$&px").replaceAll(" ", ",") : "solid";
}

/** Call `listener` whenever the theme changes. @param {() => void} listener */
export function onTheme(listener) {
  document.addEventListener("cairn:theme", () => listener());
}

/** False if the reader requested no motion. */
export function mayMove() {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}
