/* Verdicts on errors as a mark and a title: distinct without colour. */

const MARKS = { "hides-nothing": "✕", usable: "●", coarse: "◐", "too-large": "○" };

/** The verdict as text, "● usable"; "" for none. */
export const verdictText = (verdict) => (verdict ? `${MARKS[verdict.name]}\u00a0${verdict.title}` : "");
