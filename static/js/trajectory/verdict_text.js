/* Verdicts on errors as a mark and a title: distinct without colour. */

const MARKS = {
  "no-guarantee": "⊘",
  "hides-nothing": "✕",
  "landmarks-exposed": "⚠\ufe0e",
  usable: "●",
  coarse: "◐",
  "too-large": "○",
};

/** The verdict as text, "● usable"; "" for none. */
export const verdictText = (verdict) => (verdict ? `${MARKS[verdict.name]}\u00a0${verdict.title}` : "");
