import assert from "node:assert/strict";

/** Narrow spaces as plain ones, in texts inside lists and objects too. @param {any} found @returns {any} */
export const spaced = (found) =>
  found === undefined ? found : JSON.parse(JSON.stringify(found).replaceAll("\u202f", " ").replaceAll("\u00a0", " "));

/**
 * Each of `cases` = [arguments, what `f` makes of them]; texts as people see them.
 *
 * @param {(...given: any[]) => any} f
 * @param {[any[], any][]} cases
 */
export function check(f, cases) {
  for (const [given, expected] of cases) assert.deepEqual(spaced(f(...given)), expected, JSON.stringify(given));
}
