/* What a loss chart shows, in a sentence. */

import { el } from "../../core/dom.js";
import { metres, number } from "../../core/format.js";

export const SIDES = [
  ["total", "Total", "What all releases, earlier and later ones, leak about this event"],
  ["backward", "Backward", "What this release and the earlier ones leak about this event"],
  ["forward", "Forward", "What this release and the later ones leak about this event"],
];
export const PARTS = [
  ["joint", "Together", "All landmarks and this event"],
  ["own", "Own", "This event's part"],
];
export const BOUNDS = [
  ["bridge", "Bridge", "An upper bound"],
  ["published", "Published", "The formula as printed, not an upper bound"],
];

const SIDE_TEXTS = {
  total: "Each event alone: what all releases leak about it.",
  backward: "Each event alone: what its release and the earlier ones leak about it.",
  forward: "Each event alone: what its release and the later ones leak about it.",
  joint: "Each event and all landmarks together.",
  own: "Each event’s own part of what it and the landmarks leak.",
};
const upper = (diameter_m) =>
  `An upper bound for an adversary with this matrix whose states lie at most ${number(diameter_m)} m apart`;
const BOUND = {
  bridge: (diameter_m) => `${upper(diameter_m)}: the landmarks’ positions are taken as known at the ends of each gap.`,
  published: () => "The published formula is not an upper bound: between two known landmarks the chain is a bridge.",
};

/** The view as text; `bound`, `why`, `pairwise` and the correlation's `diameter_m` as the server answered. */
export function viewText(
  /** @type {Record<string, any>} */ { view, side, part },
  { bound, why, diameter_m, pairwise = false },
) {
  if (view === "event")
    return `${SIDE_TEXTS[side]} ${upper(diameter_m)}${pairwise ? ", each two cells at their own distance" : ""}.`;
  const instead = why && bound === "published" ? ` There is no bridge here: ${why}.` : "";
  return `${SIDE_TEXTS[part]} ${BOUND[bound]?.(diameter_m) ?? ""}${instead}`;
}

/** The title of an axis of losses: about states at most `diameter_m` apart, whatever the releases' radii. */
export const lossAxis = (diameter_m, log) =>
  `ε${diameter_m === undefined ? "" : `, ${metres(diameter_m)} apart`}${log ? ", log" : ""}`;

/** What the dashed line at `level` means. */
export const levelLabel = (level, diameter_m) => `ε = ${number(level)} at ${number(diameter_m)} m, no correlation`;

/** Limits of series of any length: "Skip 26.1, Uniform none". `limits` = [[title, value or null]] */
export function limitText(limits) {
  if (!limits.length) return "";
  const each = limits.map(([title, value]) => `${title} ${value === null ? "without limit" : number(value)}`);
  return ` However long the series, at most: ${each.join(", ")}.`;
}

/** A warning that stays while an estimate is shown. */
export const warning = (note) => el("p", { class: "notice notice--accent loss__warning", role: "note" }, note);
