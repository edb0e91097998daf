/* Verdicts on releases as a mark and a title: distinct without colour. */

/** The best first. */
const MARKS = {
  usable: "●",
  coarse: "◐",
  "too-large": "○",
  "worse-than-free": "▽",
  "landmarks-exposed": "⚠\ufe0e",
  "person-exposed": "⚠\ufe0e",
  "hides-nothing": "✕",
  "no-guarantee": "⊘",
};
const NAMES = Object.keys(MARKS);

/** The place of a verdict among all, the best first; none is after them. */
export const verdictRank = (verdict) => (verdict ? NAMES.indexOf(verdict.name) : NAMES.length);

/** The verdict as text, "● usable"; "" for none. */
export const verdictText = (verdict) => (verdict ? `${MARKS[verdict.name]}\u00a0${verdict.title}` : "");
