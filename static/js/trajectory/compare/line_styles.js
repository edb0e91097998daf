/* The line of each release: colour, dash and marker of the palette, which has those of the first, second, … release of
 * each mechanism, by the mechanism's name.
 */

import { nameOf } from "./view_state.js";

/** The mechanisms' own lines, in the palette's order. @param {Record<string, LineStyle[]>} palette */
export const linesOf = (palette) => Object.values(palette).map(([own]) => own);

/**
 * A line for each release, by id: the one given in `chosen` (name to index), else its mechanism's own; of further
 * releases of a mechanism the next of its hue that no other release has.
 *
 * @param {any[]} releases
 * @param {Record<string, LineStyle[]>} palette
 * @param {Map<string, number>} chosen
 */
export function assignLineStyles(releases, palette, chosen = new Map()) {
  const own = linesOf(palette);
  const given = new Map();
  const used = new Set();
  const give = (/** @type {any} */ { id }, /** @type {LineStyle} */ line) => {
    given.set(id, line);
    used.add(line);
  };
  for (const release of releases) {
    const line = own[chosen.get(nameOf(release.id)) ?? -1];
    if (line) give(release, line);
  }
  const fewestSteps = [...releases].sort((a, b) => a.postprocess.length - b.postprocess.length);
  for (const release of fewestSteps) {
    const [first] = palette[release.mechanism.name];
    if (!given.has(release.id) && !used.has(first)) give(release, first);
  }
  const oldestFirst = [...releases].sort((a, b) => a.created_at.localeCompare(b.created_at)); // a newcomer changes none
  for (const release of oldestFirst) {
    if (given.has(release.id)) continue;
    const all = palette[release.mechanism.name];
    give(release, all.find((line) => !used.has(line)) ?? all[given.size % all.length]);
  }
  return given;
}
