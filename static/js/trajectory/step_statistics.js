/* The facts about the steps of a series as text: the median step, and how much of the time is gaps. */

import { get } from "../core/api.js";
import { $ } from "../core/dom.js";
import { duration, metres, percent } from "../core/format.js";

/** Put the facts behind `url` into their places, unless `stale()` by then: another choice was made meanwhile. */
export async function showStepFacts(url, stale) {
  const facts = await get(url);
  if (stale()) return;
  $('[data-fact="step"]').textContent = stepText(facts);
  const gaps = $('[data-fact="silence"]');
  if (gaps) gaps.textContent = gapsText(facts);
}

/** @param {{median_m: number | null, median_s: number | null}} facts */
export function stepText({ median_m, median_s }) {
  if (median_m === null) return "one event, no step";
  return median_s === null ? metres(median_m) : `${duration(median_s)}, ${metres(median_m)}`;
}

/** @param {{gap_s: number | null, gap_share: number | null}} facts */
export function gapsText({ gap_s, gap_share }) {
  if (gap_s === null || gap_share === null) return "–";
  return gap_share ? `${percent(gap_share)} of the time, in steps over ${duration(gap_s)}` : "none";
}
