/* The reference radius of the chosen data in the form of an experiment: proposed, and what other radii are in it. */

import { metres, number } from "../../core/format.js";

/**
 * What levels are stated in: "Reference radius of Taxi day: 200 m, block. ε = 1 / 1 m (paper) is ε = 200 / 200 m."
 *
 * @param {{name: string, radius_m: number}} data
 * @param {{levels: number[] | null, radii: number[] | null}} typed
 * @param {{title: string, radius_m: number}[]} named
 */
export function referenceText(data, { levels, radii }, named) {
  const titleOf = (/** @type {number} */ radius) =>
    named.find(({ radius_m }) => radius_m === radius)?.title.toLowerCase();
  const title = titleOf(data.radius_m);
  const first = `Reference radius of ${data.name}: ${metres(data.radius_m)}${title ? `, ${title}` : ""}.`;
  const other = radii?.find((radius) => radius !== data.radius_m);
  const level = levels?.[0];
  if (!other || !level) return first;
  const called = titleOf(other) ? ` (${titleOf(other)})` : "";
  const within = `${number((level * data.radius_m) / other)} / ${metres(data.radius_m)}`;
  return `${first} ε = ${number(level)} / ${metres(other)}${called} is ε = ${within}.`;
}

/**
 * Follow the reference radius of the chosen data: `propose(radius_m)` is called where the radii are those proposed
 * before. Returns follow(data, typed).
 *
 * @param {HTMLElement} note
 * @param {number} first the radius that is proposed at first
 * @param {{title: string, radius_m: number}[]} named
 * @param {(radius_m: number) => void} propose
 */
export function createReference(note, first, named, propose) {
  let proposed = first;
  return (
    /** @type {{name: string, radius_m: number}} */ data,
    /** @type {{levels: number[] | null, radii: number[] | null}} */ typed,
    /** @type {boolean} */ free,
  ) => {
    let { radii } = typed;
    if (free && radii?.length === 1 && radii[0] === proposed) {
      proposed = data.radius_m;
      radii = [proposed];
      propose(proposed);
    }
    note.textContent = referenceText(data, { ...typed, radii }, named);
  };
}
