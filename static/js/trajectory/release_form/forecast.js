/* What to expect of the mechanisms chosen: the server works it out from landmarks and parameters, no position is read.
 */

import { swatch } from "../../components/swatch.js";
import { el } from "../../core/dom.js";
import { tableHead } from "../../core/elements.js";
import { metres, number, whole } from "../../core/format.js";

// Text -------------------------------------------------------------------------------------

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

function row(what, { events, published, drawn, share, median_m, p95_m }) {
  const of = drawn === events ? whole(events) : `${whole(drawn)} of ${whole(events)}`;
  const cells = published ? [shareText(share), metres(median_m), metres(p95_m)] : ["left out", "", ""];
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, what),
    [of, ...cells].map((text) => el("td", {}, text)),
  );
}

function groupsOf({ landmark, regular, overall }) {
  const alike =
    !landmark.events || (String(landmark.share) === String(regular.share) && overall.drawn === overall.events);
  const groups = alike
    ? [["Every event", overall]]
    : [
        ["Landmarks", landmark],
        ["Other events", regular],
      ];
  return groups.filter(([, { events }]) => events);
}

function notes({ expected }) {
  if (!expected)
    return ["The budget of each event depends on the run, and the dataset is too long to simulate it here."];
  const { landmark } = expected;
  const found = expected.exact
    ? []
    : ["The budget of each event depends on the run; these figures are of a simulation on a synthetic trajectory."];
  const { drawn, published } = expected.overall;
  if (landmark.events && !landmark.drawn)
    found.push(
      landmark.published
        ? "Landmarks get no fresh noise: they repeat other positions, and the movement since adds to the error."
        : "Landmarks are left out.",
    );
  else if (drawn < published) found.push("The rest repeat a position: the movement since adds to the error.");
  return found;
}

/** What to expect of each mechanism, as one table; `lineStyles` has their colours and dashes by name. */
export function forecastTable(forecasts, lineStyles) {
  return [
    el("caption", { class: "visually-hidden" }, "Noise by mechanism"),
    tableHead(["Events", "Fresh noise", "Share", "50\u202f%", "95\u202f%"], ""),
    ...forecasts.map((one) => bodyOf(one, lineStyles.get(one.name))),
  ];
}

function bodyOf(one, lineStyle) {
  const mean = one.expected?.overall.mean_m ?? null;
  const name = el("span", { class: "forecast__name" }, swatch(lineStyle), el("strong", {}, one.title));
  const across = (...content) => el("tr", {}, el("td", { colspan: "5", class: "small muted" }, content));
  return el(
    "tbody",
    { dataset: { forecast: one.name } },
    el(
      "tr",
      { class: "forecast__head" },
      el("th", { scope: "rowgroup", colspan: "3" }, name),
      el("td", { colspan: "2" }, mean === null ? "" : `mean ${metres(mean)}`),
    ),
    one.expected && groupsOf(one.expected).map(([what, group]) => row(what, group)),
    notes(one).map((text) => across(text)),
  );
}

/**
 * What releases of `forecasts` promise for the landmark set chosen, each sentence once with the mechanisms that state
 * it.
 */
export function guarantees(forecasts) {
  const sentences = new Map();
  for (const { title, guarantee } of forecasts)
    sentences.set(guarantee.statement, [...(sentences.get(guarantee.statement) ?? []), title]);
  return [...sentences].map(([statement, titles]) =>
    el("p", { class: "small" }, sentences.size > 1 && el("strong", {}, `${titles.join(", ")}: `), statement),
  );
}

/** What follows the noise; nothing for no steps. */
export function afterwards(steps) {
  if (!steps.length) return [];
  const live = steps.every(({ causal }) => causal);
  return [
    `Then ${steps.map(({ title }) => title).join(", then ")}, over each release; spends no budget. The figures ` +
      `above exclude it.`,
    live ? "Works on live data: no step reads later positions." : "Not on live data: a step reads later positions.",
  ];
}

/** The state of the budget for releases of `forecasts` at a level, `quote` from the server. */
export function spending(quote, { radius_m }, forecasts, experiment) {
  const per = (perKm) => number((perKm * radius_m) / 1000);
  const many = forecasts.length === 1 ? "the release" : `the ${forecasts.length} releases together`;
  const record = quote.stability > 1 ? "uploaded record" : "event";
  const uncovered = [...new Set(forecasts.flatMap(({ guarantee }) => guarantee.not_covered))];
  const rest = uncovered.length ? `; not covered: ${uncovered.join("; ")}` : "";
  const found = [
    experiment
      ? "Simulations are not published, so they spend nothing."
      : `About any one ${record} ${many} may leak ε = ${per(quote.price_per_km)} per ${number(radius_m)} m${rest}.`,
  ];
  if (quote.stability > 1 && !experiment) {
    found.push(
      `After cleaning, up to ${whole(quote.stability)} events depend on one uploaded record: a ` +
        `release is charged ${whole(quote.stability)} × ε (once at the level of a user).`,
    );
  }
  found.push(quote.spent_per_km ? `Earlier releases: ${per(quote.spent_per_km)}.` : "Nothing is spent yet.");
  if (quote.total_per_km === null) return found;
  const fits = experiment || quote.fits;
  found.push(
    fits
      ? `The budget is ${per(quote.total_per_km)}.`
      : `That is more than the budget of ${per(quote.total_per_km)}: choose a smaller level or fewer releases.`,
  );
  return found;
}
