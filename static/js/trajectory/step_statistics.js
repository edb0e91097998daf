/* The facts of a dataset that need every step: the usual step, and how much of the time is silence. */

import { $ } from "../core/dom.js";
import { duration, metres, percent } from "../core/format.js";
import { yieldToPage } from "../core/yielding.js";

const RADIUS_M = 6_371_000;
const SLICE = 65_536; // steps between two looks at what else the page has to do
const GAP = 10; // a silence is a step longer than this many median steps

/** Great-circle lengths in metres and durations in seconds (null without times) of the steps of a track. */
async function steps({ lonE7, latE7, time, n }) {
  const far = new Float64Array(Math.max(n - 1, 0));
  const long = time ? new Float64Array(Math.max(n - 1, 0)) : null;
  const rad = Math.PI / 180 / 1e7;
  for (let from = 0; from + 1 < n; from += SLICE) {
    for (let i = from; i < Math.min(n - 1, from + SLICE); i++) {
      const x = Math.sin(((latE7[i + 1] - latE7[i]) * rad) / 2);
      const y = Math.sin(((lonE7[i + 1] - lonE7[i]) * rad) / 2);
      const h = x * x + Math.cos(latE7[i] * rad) * Math.cos(latE7[i + 1] * rad) * y * y;
      far[i] = 2 * RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)));
      if (long) long[i] = time[i + 1] - time[i];
    }
    if (from + SLICE < n) await yieldToPage();
  }
  return { far, long };
}

function joined(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The median, by sorting out ever smaller parts of a copy: a million are a few passes and not a sort. */
async function median(values) {
  if (!values.length) return null;
  const own = values.slice();
  const middle = own.length >> 1;
  const high = await ranked(own, middle);
  return own.length % 2 ? high : (own.subarray(0, middle).reduce((a, b) => Math.max(a, b), -Infinity) + high) / 2;
}

/** The value that would be k-th if `values` were sorted; no greater ones are left before it (Hoare's selection). */
async function ranked(values, k) {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let [i, j] = [low, high];
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      [values[i], values[j]] = [values[j], values[i]];
      i++;
      j--;
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else break;
    if (high - low > SLICE) await yieldToPage();
  }
  return values[k];
}

function silence(long, usual) {
  const limit = GAP * usual;
  let silent = 0;
  let total = 0;
  for (const seconds of long) {
    total += seconds;
    if (seconds > limit) silent += seconds;
  }
  return { limit, share: total ? silent / total : 0 };
}

/** Put the facts about `tracks` into their places, unless `stale()` by then: another choice was made meanwhile. */
export async function showStepFacts(tracks, stale) {
  const found = await Promise.all(tracks.map(steps));
  const far = await median(joined(found.map((one) => one.far)));
  const long = tracks.every(({ time }) => time) ? joined(found.map((one) => one.long)) : null;
  const usual = long && (await median(long));
  if (stale()) return;
  const step = $('[data-fact="step"]');
  const quiet = $('[data-fact="silence"]');
  if (far === null) {
    step.textContent = "one event, no step";
    if (quiet) quiet.textContent = "–";
    return;
  }
  if (!quiet || !long) {
    step.textContent = metres(far);
    return;
  }
  step.textContent = `${duration(usual)}, ${metres(far)}`;
  const { limit, share } = silence(long, usual);
  quiet.textContent = share ? `${percent(share)} of the time, in steps over ${duration(limit)}` : "none";
}
