/* What the releases chosen promise and what they do not: in a sentence, and in full on request. The server works it out
 * from landmarks and parameters; no position is read.
 */

import { factorText } from "../../components/release_form/odds.js";
import { statements } from "../../components/release_form/promise.js";
import { swatch } from "../../components/swatch.js";
import { el } from "../../core/dom.js";
import { quantity, tableHead } from "../../core/elements.js";
import { capitalized, metres, number, whole } from "../../core/format.js";
import { within } from "../../core/level.js";

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
  const groups = alike
    ? [["Every event", overall]]
    : [
        ["Landmarks", landmark],
        ["Other events", regular],
      ];
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

/** Which events get noise and their share of ε, as one table; `lineStyles` has colours and dashes by name. */
export function shareTable(forecasts, lineStyles) {
  const bodyOf = (one) => {
    const name = el("span", { class: "line" }, swatch(lineStyles.get(one.name)), el("strong", {}, one.title));
    return el(
      "tbody",
      { dataset: { forecast: one.name } },
      el("tr", { class: "forecast__head" }, el("th", { scope: "rowgroup", colspan: "3" }, name)),
      one.expected && groupsOf(one.expected).map(([what, group]) => row(what, group)),
      notes(one).map((text) => el("tr", {}, el("td", { colspan: "3", class: "small muted" }, text))),
    );
  };
  return [
    el("caption", { class: "visually-hidden" }, "Fresh noise by mechanism"),
    tableHead(["Events", "Fresh noise", "Share"], ""),
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
