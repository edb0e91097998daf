/* Texts broken into lines that fit. */

/**
 * Lines of a text that are at most `most` wide where its spaces allow that; none of an empty one.
 *
 * @param {string} text
 * @param {number} most
 * @param {(text: string) => number} measured
 */
export function wrapped(text, most, measured) {
  /** @type {string[]} */
  const lines = [];
  for (const part of text.split(" ").filter(Boolean)) {
    const longer = lines.length ? `${lines.at(-1)} ${part}` : part;
    if (lines.length && measured(longer) <= most) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}
