/* Times of the data in the time zone of the data: ticks of an axis, days and moments as text. No page is needed. */

export const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const DAY = 86_400;
/** Seconds between ticks, while they are parts of a day or days. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3600),
  ...[1, 2, 7, 14].map((days) => days * DAY),
];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];
const MONTH = 30.4 * DAY;

/** @type {Map<string, Intl.DateTimeFormat | null>} */
const formats = new Map();

/** The parts of a time in a zone; null where the browser does not know it. @param {string} zone */
function formatOf(zone) {
  if (!formats.has(zone)) {
    const parts = /** @type {const} */ ({ month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" });
    const options = { ...parts, year: "numeric", second: "numeric", hourCycle: "h23", timeZone: zone };
    try {
      formats.set(zone, new Intl.DateTimeFormat("en", /** @type {Intl.DateTimeFormatOptions} */ (options)));
    } catch {
      formats.set(zone, null);
    }
  }
  return formats.get(zone) ?? null;
}

/** The zone whose times are shown: UTC where the browser does not know the one of the data. @param {string} zone */
export const shownZone = (zone) => (zone !== "UTC" && formatOf(zone) ? zone : "UTC");

/** Seconds that a clock in `zone` is ahead of UTC. @param {number} time seconds since 1970 @param {string} zone */
export function offsetOf(time, zone) {
  if (shownZone(zone) === "UTC") return 0;
  const whole = Math.floor(time);
  const found = Object.fromEntries(
    (formatOf(zone)?.formatToParts(whole * 1000) ?? []).map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(found.year, found.month - 1, found.day, found.hour, found.minute, found.second) / 1000 - whole;
}

/** A clock's reading in the zone, as a date whose UTC parts it is. @param {number} time @param {string} zone */
const readingOf = (time, zone) => new Date((time + offsetOf(time, zone)) * 1000);

const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
const minuteText = (/** @type {Date} */ date) => `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
const secondText = (/** @type {Date} */ date) => `${minuteText(date)}:${two(date.getUTCSeconds())}`;

/** 3 Feb, of the UTC parts of a date. @param {Date} date */
export const dayText = (date) => `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
const isMidnight = (/** @type {Date} */ date) => date.getTime() % (DAY * 1000) === 0;

/** 3 Feb 2008, 08:42:10. @param {number} time @param {string} zone */
export function momentText(time, zone) {
  const date = readingOf(time, zone);
  return `${dayText(date)} ${date.getUTCFullYear()}, ${secondText(date)}`;
}

/** 3 Feb 2008; 3 Feb to 4 Mar 2008; 3 Feb 2008 to 1 Jan 2009. @param {[number, number]} span @param {string} zone */
export function daysText([from, to], zone) {
  const [first, last] = [readingOf(from, zone), readingOf(to, zone)];
  const end = `${dayText(last)} ${last.getUTCFullYear()}`;
  if (dayText(first) === dayText(last) && first.getUTCFullYear() === last.getUTCFullYear()) return end;
  const year = first.getUTCFullYear() === last.getUTCFullYear() ? "" : ` ${first.getUTCFullYear()}`;
  return `${dayText(first)}${year} to ${end}`;
}

/** The time at which a clock in the zone reads `reading`, seconds of its parts as if of UTC. @param {number} reading
 * @param {string} zone */
function timeOf(reading, zone) {
  const near = reading - offsetOf(reading, zone);
  return reading - offsetOf(near, zone);
}

/**
 * [seconds since 1970, text] of ticks from `from` to `to`, at most `most` or so: round readings of a clock in `zone`.
 *
 * @param {[number, number]} span
 * @param {number} most
 * @param {string} zone
 * @returns {[number, string][]}
 */
export function timeTicks([from, to], most, zone) {
  const wanted = (to - from) / Math.max(most, 1);
  const step = STEPS.find((one) => one >= wanted);
  const readings = step ? clockReadings([from, to], step, zone) : monthReadings([from, to], wanted, zone);
  return readings
    .map(([reading, text]) => /** @type {[number, string]} */ ([timeOf(reading, zone), text]))
    .filter(([time], i) => time + offsetOf(time, zone) === readings[i][0]); // an hour may be left out
}

/** @param {[number, number]} span
 * @param {number} step
 * @param {string} zone
 * @returns {[number, string][]} */
function clockReadings([from, to], step, zone) {
  const [first, last] = [from + offsetOf(from, zone), to + offsetOf(to, zone)];
  const found = /** @type {[number, string][]} */ ([]);
  for (let reading = Math.ceil(first / step) * step; reading <= last; reading += step) {
    const date = new Date(reading * 1000);
    found.push([reading, isMidnight(date) ? dayText(date) : step < 60 ? secondText(date) : minuteText(date)]);
  }
  return found;
}

/** @param {[number, number]} span
 * @param {number} wanted
 * @param {string} zone
 * @returns {[number, string][]} */
function monthReadings([from, to], wanted, zone) {
  const step = MONTH_STEPS.find((one) => one * MONTH >= wanted) ?? Number(MONTH_STEPS.at(-1));
  const [first, last] = [readingOf(from, zone), readingOf(to, zone)];
  const monthOf = (/** @type {Date} */ date) => 12 * date.getUTCFullYear() + date.getUTCMonth();
  const found = /** @type {[number, string][]} */ ([]);
  for (let month = Math.ceil(monthOf(first) / step) * step; month <= monthOf(last); month += step) {
    const reading = Date.UTC(Math.floor(month / 12), month % 12, 1);
    const year = String(Math.floor(month / 12));
    if (reading >= first.getTime()) found.push([reading / 1000, step % 12 ? `${MONTHS[month % 12]} ${year}` : year]);
  }
  return found;
}
