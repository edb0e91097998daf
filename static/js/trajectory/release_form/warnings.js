/* What is extreme about releases not yet made; the numbers are the server's, of the landmarks and parameters alone. */

import { el } from "../../core/dom.js";
import { metres, number, whole } from "../../core/format.js";

const HUGE = 10;
const TINY = 0.01;
const GPS_M = 10; // what a position is off by anyway
const STILL_M = 1; // a smaller step between two fixes counts as none
const NOTED = 1.05; // a smaller difference is ignored

/**
 * Sentences, most for none. `level` = {epsilon, radius_m}; `forecasts` as the server answers; `request` and `steps` are
 * descriptions with their titles; `extent_m` across the dataset; `seeded` where nothing is private; `many` releases.
 */
export function warnings({ level, forecasts, request, steps, extent_m, seeded }) {
  return [
    ...(seeded && forecasts.length > 1
      ? ["One seed is one sample: a difference between two mechanisms may be random. Repeat it with other seeds."]
      : []),
    ...ofLevel(level, extent_m),
    ...ofNoise(forecasts, extent_m),
    ...ofLandmarks(forecasts),
    ...request.flatMap((one) =>
      ofSteps(
        one,
        extent_m,
        forecasts.find(({ name }) => name === one.name),
      ),
    ),
    ...steps.flatMap((one) => ofSteps(one, extent_m)),
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

function ofNoise(forecasts, extent_m) {
  const groups = forecasts.flatMap(({ expected }) => (expected ? [expected.landmark, expected.regular] : []));
  const known = groups.map(({ p95_m }) => p95_m).filter((radius) => radius !== null);
  if (!known.length) return [];
  const least = Math.min(...known);
  if (least < GPS_M)
    return [
      `95\u202f% of some releases fall within ${metres(least)} of the truth: as precise as GPS, so ` +
        `addresses remain identifiable.`,
    ];
  return extent_m > 0 && least > extent_m
    ? [`The noise reaches beyond the whole dataset, which is ${metres(extent_m)} across: little information remains.`]
    : [];
}

/**
 * Whether what matters gets more noise or less: a smaller ε is more noise, which is easily thought the other way round.
 */
function ofLandmarks(forecasts) {
  const both = forecasts.filter(({ expected }) => expected?.landmark.drawn && expected.regular.drawn);
  const more = both.filter(({ expected: { landmark, regular } }) => landmark.p95_m > NOTED * regular.p95_m);
  const less = both.filter(({ expected: { landmark, regular } }) => landmark.p95_m * NOTED < regular.p95_m);
  const sides = ({ title, expected: { landmark, regular } }) =>
    `${title} (95\u202f% within ${metres(landmark.p95_m)}, of others ${metres(regular.p95_m)})`;
  const found = [];
  if (more.length)
    found.push(
      `Landmarks get more noise than other events: ${more.map(sides).join(", ")}. Landmarks ` +
        `are protected more and published less accurately.`,
    );
  if (less.length)
    found.push(
      `Landmarks get less noise than other events: ${less.map(sides).join(", ")}. Landmarks are ` +
        `published more accurately than the rest.`,
    );
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
