/* Values of a file as they were read, as text. */

import { moment } from "../core/format.js";

const degrees = (/** @type {string} */ text, /** @type {string[]} */ [positive, negative]) =>
  `${Math.abs(Number(text)).toFixed(5)}° ${text.startsWith("-") ? negative : positive}`;

/** @type {Record<string, (text: string, zone: string) => string>} */
const FORMATS = {
  time: (text, zone) => (/^\d{4}-/.test(text) ? local(text, zone) : text),
  lon: (text) => degrees(text, ["E", "W"]),
  lat: (text) => degrees(text, ["N", "S"]),
};

/** An instant on the clocks of a zone, with their offset; in UTC where the browser does not know the zone. */
function local(/** @type {string} */ text, /** @type {string} */ zone) {
  const [offset, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)/.exec(zone && offsetText(text, zone)) ?? [];
  const ahead_s = offset ? Number(`${sign}1`) * 60 * (60 * Number(hours) + Number(minutes)) : 0;
  if (!ahead_s) return `${moment(text)} UTC`;
  return `${moment(Date.parse(text) / 1000 + ahead_s)} ${offset}`;
}

function offsetText(/** @type {string} */ text, /** @type {string} */ timeZone) {
  if (/^[+-]/.test(timeZone)) return timeZone;
  try {
    return new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).format(new Date(text));
  } catch {
    return "";
  }
}

/**
 * What was read as `role`: 3 Jun 2024, 07:02:11 UTC; 3.70379° W.
 *
 * @param {string} role
 * @param {string} text
 * @param {string} [zone] whose clocks times are shown on
 */
export const asRead = (role, text, zone = "") => FORMATS[role]?.(text, zone) ?? text;

/** All that was read of a row. @param {Record<string, string>} read */
export const rowAsRead = (read) =>
  ["time", "lon", "lat", "id", "place"]
    .filter((role) => role in read)
    .map((role) => asRead(role, read[role]))
    .join(" · ");
