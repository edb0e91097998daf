import { deepEqual } from "node:assert/strict";

/** Narrow spaces as plain ones, in texts inside lists and objects too. */
export const spaced = (found) =>
  found === undefined ? found : JSON.parse(JSON.stringify(found).replaceAll("\u202f", " ").replaceAll("\u00a0", " "));

/** Each of `cases` = [arguments, what `f` makes of them]; texts as people see them. */
export function check(f, cases) {
  for (const [given, expected] of cases) deepEqual(spaced(f(...given)), expected, JSON.stringify(given));
}

const VALUES = { null: null, undefined, true: true, false: false };
const valueOf = (key) => (key in VALUES ? VALUES[key] : key.trim() && !isNaN(key) ? Number(key) : key);

/** What `f` makes of each text or number among `cases` {given: expected}; arguments are separated by ", ". */
export function gives(f, cases) {
  const rows = Object.entries(cases).map(([key, expected]) => [key.split(", ").map(valueOf), expected]);
  check(f, rows);
}

/** What `f` makes of each of some, as one text. */
export const joined = (some, f, by = ",") => Array.from(some, f).join(by);

/** Rows of numbers written as text: "0 10, 20 30". */
export const rows = (text) => text.split(", ").map((row) => row.split(" ").map(Number));

/** A track of places [1e-7 degrees, height]. */
export const columns = (places, ends = null) => ({
  ...{ lonE7: Int32Array.from(places, ([lon]) => lon), y: Int32Array.from(places, ([, y]) => y), ends },
});
