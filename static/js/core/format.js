/* Numbers and times as text. No page is needed for this module. */

const NARROW = "\u202f"; // between a number and its unit
const WHOLE = new Intl.NumberFormat("en");

/** 12,345. @param {number} value */
export const whole = (value) => WHOLE.format(Math.round(value));

/** @type {Record<string, string>} */
const IRREGULAR = { person: "people", series: "series", axis: "axes", matrix: "matrices" };

/** events, entries, matches, people: the same rules as privacy_engine/core/plurals.py. @param {string} noun */
export function plural(noun) {
  const last = noun.split(" ").at(-1) ?? "";
  if (IRREGULAR[last]) return noun.slice(0, -last.length) + IRREGULAR[last];
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** 1 event, 407 events, 2 entries. @param {number} value @param {string} noun */
export const count = (value, noun) => `${whole(value)} ${value === 1 ? noun : plural(noun)}`;

const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");

/**
 * waiting for a worker, third in the queue: as the filter `queued` in dashboard/core/templatetags/display.py.
 *
 * @param {number | null | undefined} position
 */
export function queued(position) {
  if (!position) return "waiting for a worker";
  return `waiting for a worker, ${ORDINALS[position - 1] ?? `number ${whole(position)}`} in the queue`;
}

/** With a capital letter. @param {string} text */
export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The number of an event as pages show it, from 1; `index` counts from 0, as in the API. @param {number} index */
export const eventNumber = (index) => whole(index + 1);

/** At most `digits` significant digits, no exponent: 0.00123, 12.3, 1,230. @param {number} value */
export const number = (value, digits = 3) =>
  new Intl.NumberFormat("en", { maximumSignificantDigits: digits }).format(value);

/** All of the significant digits, as the numbers of one column have them: 0.020 beside 0.028. @param {number} value */
export const inColumn = (value, digits = 3) =>
  new Intl.NumberFormat("en", { minimumSignificantDigits: digits, maximumSignificantDigits: digits }).format(value);

const TENTHS = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** All digits of a whole number, tenths of another: 123,456,808, 12.3. @param {number} value */
export const tenths = (value) => TENTHS.format(value);

/** 141 m, 2.79 km, 1,234 km. @param {number | null | undefined} value */
export function metres(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size < 10) return `${number(value, 2)}${NARROW}m`;
  if (size < 1000) return `${whole(value)}${NARROW}m`;
  return `${size < 100_000 ? number(value / 1000) : whole(value / 1000)}${NARROW}km`;
}

/** 40.7 %. @param {number} share */
export const percent = (share, digits = 3) => `${number(share * 100, digits)}${NARROW}%`;

/** How much of a job is done: 64 %; 100 % only when it is over. @param {number} share */
export const done = (share) => `${Math.min(Math.floor(share * 100), 100)}${NARROW}%`;

/** 1.2 MB. @param {number} value */
export function bytes(value) {
  const units = ["B", "kB", "MB", "GB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), 3);
  return `${number(value / 1000 ** power)}${NARROW}${units[power]}`;
}

/** 8 s, 12 min, 3 h 20 min, 2 d 4 h. @param {number | null | undefined} seconds */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  /** @type {[string, number][]} */
  const units = [
    ["d", 86400],
    ["h", 3600],
    ["min", 60],
    ["s", 1],
  ];
  if (seconds < 10) return `${number(seconds, 2)}${NARROW}s`;
  const total = seconds >= 7200 ? Math.round(seconds / 60) * 60 : Math.round(seconds);
  const first = units.findIndex(([, size]) => total >= size);
  const parts = [];
  let rest = total;
  for (const [unit, size] of units.slice(first, first + 2)) {
    if (Math.floor(rest / size)) parts.push(`${Math.floor(rest / size)}${NARROW}${unit}`);
    rest %= size;
  }
  return parts.join(" ");
}

// Times are of the data, so in UTC and not in the reader's zone.

/** @typedef {number | string | Date} Time seconds since 1970, ISO text or a date */

const asDate = (/** @type {Time} */ time) => (typeof time === "number" ? new Date(time * 1000) : new Date(time));
const DAY = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
const MINUTE = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hour: "2-digit", minute: "2-digit" });
const SECOND = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** 3 Feb 2008. @param {Time} time */
export const day = (time) => DAY.format(asDate(time));

/** 3 Feb 2008, 08:42:10. @param {Time} time */
export const moment = (time, { seconds = true } = {}) =>
  `${day(time)}, ${(seconds ? SECOND : MINUTE).format(asDate(time))}`;

/** 2 Feb 2008, 13:33 to 4 Feb 2008, 11:20 UTC. @param {Time} start @param {Time} end */
export function span(start, end) {
  const last = day(start) === day(end) ? MINUTE.format(asDate(end)) : moment(end, { seconds: false });
  return `${moment(start, { seconds: false })} to ${last} UTC`;
}

/** @type {Record<string, (value: number) => string>} */
const UNITS = { m: metres, ε: (value) => `ε${NARROW}${number(value)}`, count: whole, share: percent };

/**
 * A value as tooltips show it: 1.23 km, ε 0.5, 40 %; – for none. Every chart and the map use it.
 *
 * @param {number | null | undefined} value
 * @param {string} unit
 */
export function valueText(value, unit) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return UNITS[unit]?.(value) ?? `${number(value)}${unit && NARROW + unit}`;
}
