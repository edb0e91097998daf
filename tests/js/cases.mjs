import assert from "node:assert/strict";

/** Narrow spaces as plain ones, in texts inside lists and objects too. */
export const spaced = (found) =>
  found === undefined ? found : JSON.parse(JSON.stringify(found).replaceAll("\u202f", " ").replaceAll("\u00a0", " "));

/** Each of `cases` = [arguments, what `f` makes of them]; texts as people see them. */
export function check(f, cases) {
  for (const [given, expected] of cases) assert.deepEqual(spaced(f(...given)), expected, JSON.stringify(given));
}
