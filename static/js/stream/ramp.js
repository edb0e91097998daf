/* The colours of heat maps: greys for counts, two hues that no mechanism has for differences. */

import { isDark } from "../core/series_style.js";
import { rampOf } from "./raster.js";

const STOPS = {
  light: { counts: ["#f1eee8", "#22201c"], difference: ["#44318d", "#f4f1ec", "#6b5d00"] },
  dark: { counts: ["#1e1c1a", "#ece7df"], difference: ["#a79cf0", "#1e1c1a", "#cdbb4f"] },
};

/** The colours of counts or differences in the present theme. @param {boolean} signed */
export const stopsOf = (signed) => STOPS[isDark() ? "dark" : "light"][signed ? "difference" : "counts"];

/** @param {boolean} signed */
export const rampNow = (signed) => rampOf(stopsOf(signed));
