/* Values of a file as they were read, as text. */

import { moment } from "../core/format.js";

const degrees = (/** @type {string} */ text, /** @type {string[]} */ [positive, negative]) =>
  `${Math.abs(Number(text)).toFixed(5)}° ${text.startsWith("-") ? negative : positive}`;

/** @type {Record<string, (text: string) => string>} */
const FORMATS = {
  time: (text) => (/^\d{4}-/.test(text) ? `${moment(text)} UTC` : text),
  lon: (text) => degrees(text, ["E", "W"]),
  lat: (text) => degrees(text, ["N", "S"]),
};

/** What was read as `role`: 3 Jun 2024, 07:02:11 UTC; 3.70379° W. @param {string} role @param {string} text */
export const asRead = (role, text) => FORMATS[role]?.(text) ?? text;

/** All that was read of a row. @param {Record<string, string>} read */
export const rowAsRead = (read) =>
  ["time", "lon", "lat", "id"]
    .filter((role) => role in read)
    .map((role) => asRead(role, read[role]))
    .join(" · ");
