/* What is extreme about releases not yet made; the numbers are the server's, of the landmarks and parameters alone. */

import { el } from "../../core/dom.js";
import { metres, number, whole } from "../../core/format.js";

const HUGE = 10;
const TINY = 0.01;
const STILL_M = 1; // a smaller step between two fixes counts as none

/**
 * Sentences, most often none. `level` = {epsilon, radius_m}; `forecasts` as the server answers; `chosen` are parameters
 * of mechanisms and of steps, each with its title; `extent_m` across the dataset; `seeded` where nothing is private.
 */
export function warnings({ level, forecasts, chosen, extent_m, seeded }) {
  return [
    ...(seeded && forecasts.length > 1
      ? ["One seed is one sample: a difference between two mechanisms may be random. Repeat it with other seeds."]
      : []),
    ...ofLevel(level, extent_m),
    ...chosen.flatMap((one) =>
      ofSteps(
        one,
        extent_m,
        forecasts.find(({ name }) => name === one.name),
      ),
    ),
  ];
}

function ofLevel({ epsilon, radius_m }, extent_m) {
  const found = [];
  const alike = radius_m / epsilon; // so far apart odds differ by e
  if (epsilon > HUGE)
    found.push(
      `ε = ${number(epsilon)} is a very weak guarantee: odds may differ by a factor of e to the ${number(epsilon)}.`,
    );
  if (epsilon < TINY)
    found.push(
      `ε = ${number(epsilon)} is very strict: even places ${metres(alike)} apart keep their odds ` +
        `within a factor of ` +
        `e${extent_m > 0 && alike > extent_m ? `, and the whole dataset is ${metres(extent_m)} across` : ""}.`,
    );
  if (extent_m > 0 && radius_m > extent_m)
    found.push(
      `A radius of ${metres(radius_m)} is larger than the dataset, which is ${metres(extent_m)} ` +
        `across: all its places are protected alike.`,
    );
  else if (radius_m > 100_000) found.push(`A radius of ${metres(radius_m)} covers whole countries.`);
  return found;
}

function ofSteps({ title, step_variance_m2: q }, extent_m, forecast) {
  if (!(q > 0)) return [];
  const landmark = forecast?.expected?.landmark;
  const drawn = landmark?.events
    ? ` ${whole(landmark.drawn)} of ${whole(landmark.events)} landmarks get fresh noise.`
    : "";
  const step = Math.sqrt(q);
  const message =
    `${title}: q = ${q < 10 ? number(q) : whole(q)} m² assumes a movement of about ${metres(step)} along ` +
    `each axis between two events`;
  if (step < STILL_M) return [`${message}, almost none.${drawn}`];
  return extent_m > 0 && step > extent_m
    ? [`${message}, and the whole dataset is ${metres(extent_m)} across.${drawn}`]
    : [];
}

/** As an element. */
export const notice = (text) => el("p", { class: "notice small" }, text);
