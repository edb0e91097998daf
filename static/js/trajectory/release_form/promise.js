/* What releases not yet made promise and what they do not: their level and budget, its odds, in a sentence and in full
 * on request; what is extreme about them. The server works it out from landmarks and parameters; no position is read.
 */

import { isGiven } from "../../components/number_field.js";
import { factorText, guessText } from "../../components/release_form/level_inputs.js";
import { statements } from "../../components/release_form/release_form.js";
import { quantity, tableHead } from "../../core/elements.js";
import { swatch } from "../../core/swatch.js";
import { el } from "../../core/dom.js";
import { capitalized, metres, number, whole } from "../../core/format.js";
import { within } from "../../core/level.js";

/**
 * "ε 1 / 200 m"; "" while one of both is missing.
 *
 * @param {{epsilon?: number | null, radius_m?: number | null}} level
 */
export const levelName = ({ epsilon = null, radius_m = null }) =>
  isGiven(epsilon) && isGiven(radius_m) ? `ε ${number(/** @type {number} */ (epsilon))} / ${metres(radius_m)}` : "";

/** The budget of the server's, in ε per km, at the radius of the form in ε; null while that is missing. */
export function budgetOf({ budget }, { radius_m }) {
  if (!isGiven(radius_m)) return null;
  const level = (perKm) => (perKm === null ? null : within(perKm, 1000, radius_m));
  const [spent, cost, total] = ["spent", "price", "total"].map((name) => level(budget[`${name}_per_km`]));
  return { spent, cost, total, unit: `ε per ${metres(radius_m)}`, fits: budget.fits };
}

const RADII = [0.5, 1, 2];

/** Fill the table `host` for a level; hide it where there is none. */
export function showOdds(host, { epsilon, radius_m }) {
  host.hidden = !(epsilon > 0 && radius_m > 0);
  if (host.hidden) return;
  const ofRadii = (name, radii) => (radii === 1 ? name : `${name}:${radii}`);
  const row = (radii) => {
    const odds = quantity(ofRadii("odds", radii), factorText(radii * epsilon));
    const guess = quantity(ofRadii("guess", radii), guessText(radii * epsilon));
    const head = el("th", { scope: "row" }, metres(radii * radius_m));
    return el("tr", { dataset: { radii: String(radii) } }, head, el("td", {}, odds), el("td", {}, guess));
  };
  const caption =
    "If the protected events had been up to this far from where they were: by which factor a release could be more " +
    "or less likely, and how certain a 50:50 guess between the two could become.";
  host.replaceChildren(
    el("caption", {}, caption),
    tableHead(["Up to", "Odds differ by", "A 50:50 guess becomes at most"], ""),
    el("tbody", {}, RADII.map(row)),
  );
}

const HUGE = 10;
const TINY = 0.01;
const STILL_M = 1; // a smaller step between two fixes counts as none

/**
 * Sentences, most often none. `level` = {epsilon, radius_m}; `forecasts` as the server answers; `chosen` are parameters
 * of mechanisms and of steps, each with its title; `extent_m` across the dataset; `seeded` where nothing is private.
 */
export function warnings({ level, forecasts, chosen, extent_m, seeded }) {
  const byName = new Map(forecasts.map((forecast) => [forecast.name, forecast]));
  return [
    ...(seeded && forecasts.length > 1
      ? ["One seed is one sample: a difference between two mechanisms may be random. Repeat it with other seeds."]
      : []),
    ...ofLevel(level, extent_m),
    ...chosen.flatMap((one) => ofSteps(one, extent_m, byName.get(one.name))),
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

// Noise ------------------------------------------------------------------------------------

/** ε, ε/1,071, ε/2.17 */
function part(share) {
  const parts = 1 / share;
  if (Math.abs(parts - 1) < 1e-9) return "ε";
  return `ε/${Math.abs(parts - Math.round(parts)) < 1e-6 * parts ? whole(parts) : number(parts)}`;
}

function shareText(share) {
  if (!share) return "–";
  const [least, greatest] = share.map(part);
  return least === greatest ? least : `${least} to ${greatest}`;
}

function row(what, { events, published, drawn, share }) {
  const of = drawn === events ? whole(events) : `${whole(drawn)} of ${whole(events)}`;
  const cells = [of, published ? shareText(share) : "left out"].map((text) => el("td", {}, text));
  return el("tr", {}, el("th", { scope: "row" }, what), cells);
}

function groupsOf({ landmark, regular, overall }) {
  const alike =
    !landmark.events || (String(landmark.share) === String(regular.share) && overall.drawn === overall.events);
  const groups = Object.entries(alike ? { "Every event": overall } : { Landmarks: landmark, "Other events": regular });
  return groups.filter(([, { events }]) => events);
}

function notes({ expected }) {
  const run = "The budget of each event depends on the run";
  if (!expected) return [`${run}, and the dataset is too long to simulate it here.`];
  const { exact, landmark, overall } = expected;
  const found = exact ? [] : [`${run}; these figures are of a simulation on a synthetic trajectory.`];
  if (landmark.events && !landmark.drawn)
    found.push(
      landmark.published
        ? "Landmarks get no fresh noise: they repeat other positions, and the movement since adds to the error."
        : "Landmarks are left out.",
    );
  else if (overall.drawn < overall.published)
    found.push("The rest repeat a position: the movement since adds to the error.");
  return found;
}

const HEADS = ["Events", "Fresh noise", "Share"];

/** Which events get noise and their share of ε, as one table; `lineStyles` has colours and dashes by name. */
export function shareTable(forecasts, lineStyles) {
  const bodyOf = (one) => {
    const name = el("span", { class: "line" }, swatch(lineStyles.get(one.name)), el("strong", {}, one.title));
    return el(
      "tbody",
      { dataset: { forecast: one.name } },
      el("tr", { class: "forecast__head" }, el("th", { scope: "rowgroup", colspan: HEADS.length }, name)),
      one.expected && groupsOf(one.expected).map(([what, group]) => row(what, group)),
      notes(one).map((text) => el("tr", {}, el("td", { colspan: HEADS.length, class: "small muted" }, text))),
    );
  };
  return [
    el("caption", { class: "visually-hidden" }, "Fresh noise by mechanism"),
    tableHead(HEADS, ""),
    ...forecasts.map(bodyOf),
  ];
}

// The promise ------------------------------------------------------------------------------

/** What `forecasts` promise, and what it means for odds. */
export function promises(forecasts) {
  const [{ guarantee }] = forecasts;
  const level = Math.max(...forecasts.map((one) => one.guarantee.epsilon));
  return [
    ...statements(forecasts.map(({ title, promise: text }) => ({ title, text }))),
    `The odds between two places ${metres(guarantee.radius_m)} apart change by at most a factor of `,
    quantity("odds", factorText(level)),
    ".",
  ];
}

const openIn = (forecasts) => [...new Set(forecasts.flatMap(({ guarantee }) => guarantee.not_covered))];

/** What none of `forecasts` covers, each as nodes of one item; `shared` caveats are those that the others have too. */
export function uncovered(forecasts, shared) {
  const general = shared.filter((text) => forecasts.every(({ guarantee }) => guarantee.caveats.includes(text)));
  const whole_ = Math.max(...forecasts.map((one) => one.whole_trace ?? 0));
  const trace = forecasts.some((one) => one.whole_trace > one.guarantee.epsilon * (1 + 1e-9)) && [
    "Places visited many times: averaging finds them (whole trace: up to ε ",
    quantity("whole_trace", number(whole_)),
    ` per ${metres(forecasts[0].guarantee.radius_m)}).`,
  ];
  const open = openIn(forecasts);
  const short = open.map((text) => `${capitalized(text.replace(/ \(.*\)$/, ""))}.`);
  return [...(trace ? [trace] : []), ...general, ...short];
}

/** The state of the budget for releases of `forecasts` at a level, `quote` from the server. */
export function spending(quote, { radius_m }, forecasts, experiment) {
  const per = (perKm) => number(within(perKm, 1000, radius_m));
  const many = forecasts.length === 1 ? "the release" : `the ${forecasts.length} releases together`;
  const record = quote.stability > 1 ? "uploaded record" : "event";
  const open = openIn(forecasts);
  const rest = open.length ? `; not covered: ${open.join("; ")}` : "";
  const found = [
    experiment
      ? "Simulations are not published, so they spend nothing."
      : `About any one ${record} ${many} may leak ε = ${per(quote.price_per_km)} per ${number(radius_m)} m${rest}.`,
  ];
  if (quote.stability > 1 && !experiment)
    found.push(
      `After cleaning, up to ${whole(quote.stability)} events depend on one uploaded record: a release is charged ` +
        `${whole(quote.stability)} × ε (once at the level of a user).`,
    );
  return found;
}
