/* What the editor shows of no landmarks, or of more than half of the events: stay points that the data suggest, and a
 * curve of how many landmarks each distance and duration give.
 */

import { spread } from "../../charts/end_labels.js";
import { get } from "../../core/api.js";
import { el, svg } from "../../core/dom.js";
import { smallButton } from "../../core/elements.js";
import { count, duration, metres, percent, whole } from "../../core/format.js";

/**
 * @typedef {{distance_m: number, duration_s: number, landmarks: number, stays: number}} Count
 * @typedef {{events: number, of: number, counts: Count[], proposal: (Count & {places: number}) | null,
 *   problem?: string}} Survey
 */

const MOST_SHARE = 0.5;
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [280, 110, 44, 48, 6, 90];
const APART = 11; // of names of lines
const DASHES = ["1 3", "3 3", "6 3", "10 3", null];

/** Why it is shown; null where it is not. @param {number} marked @param {number} points */
export function reasonOf(marked, points) {
  if (!points) return null;
  if (!marked) return "No landmarks: releases would treat all events alike.";
  if (marked / points <= MOST_SHARE) return null;
  return `${percent(marked / points)} of the events are landmarks: they share one budget: little is left for each.`;
}

/** The fields of the method. @param {Count} proposal */
const valuesOf = ({ distance_m, duration_s }) => ({ distance_m, duration_s, reading: "seed", max_gap_s: null });

/** "5 min and 200 m find 3 stays at 2 places" @param {Count & {places: number}} proposal */
export const proposalText = ({ distance_m, duration_s, stays, places }) =>
  `${duration(duration_s)} and ${metres(distance_m)} find ${count(stays, "stay")} at ${count(places, "place")}`;

/**
 * The part in `host`, from the counts at `urls.stay_counts`, which data without times have not; a click puts another
 * way to mark. Where stays suggest none there are events to select, zones to draw, a release without landmarks.
 * Returns show(marked, points), which resolves once all is shown.
 *
 * @param {HTMLElement} host
 * @param {{urls: {stay_counts?: string, release: string}, stay_points: string}} page
 * @param {{manual: string, zones: string}} ways
 * @param {(change: Record<string, any>) => void} put
 */
export function createProposal(host, { urls, stay_points }, ways, put) {
  const others = [
    smallButton("Select events", null, () => put({ way: ways.manual, runs: [] })),
    smallButton("Draw zones", null, () => put({ way: ways.zones, zones: [] })),
    el("a", { class: "button button--small", href: urls.release }, "Release without landmarks"),
  ];
  /** @type {Promise<Survey> | null} */
  let survey = null;
  let shown = "";

  /** @param {number} marked @param {number} points */
  return async function show(marked, points) {
    const reason = reasonOf(marked, points);
    if (reason === shown && !host.hidden) return; // the button keeps the focus
    shown = reason ?? "";
    if (reason === null) host.hidden = true;
    else {
      const counts = urls.stay_counts
        ? await (survey ??= get(urls.stay_counts).catch((error) => ({ problem: error.message })))
        : null;
      if (shown !== reason) return; // another count meanwhile
      const { text, values, more = [] } = proposed(counts, marked / points);
      const use = values && smallButton("Use these stay points", null, () => put({ way: stay_points, values }));
      const actions = [use, ...(counts?.proposal ? [] : others)].filter(Boolean);
      host.replaceChildren(
        el("p", {}, el("strong", {}, reason)),
        el("p", {}, text),
        el("p", { class: "row" }, actions),
        ...more,
      );
      host.hidden = false;
    }
  };
}

/**
 * What stays offer in place of landmarks that are a `share` of the events: a text, values of a button, what is below.
 *
 * @returns {{text: string, values?: Record<string, any>, more?: any[]}}
 */
function proposed(survey, share) {
  if (!survey) return { text: "Without times no stays are found." };
  if (survey.problem) return { text: survey.problem };
  const { counts, proposal, events, of } = survey;
  const sample = events < of && el("p.small.muted", `Counted in ${whole(events)} of ${whole(of)} events.`);
  const more = [curve(survey), sample].filter(Boolean);
  if (proposal) {
    const text = `${proposalText(proposal)}: ${count(proposal.landmarks, "landmark")}.`;
    return { text, values: valuesOf(proposal), more };
  }
  const [least] = counts.filter(({ stays }) => stays).sort((a, b) => a.landmarks - b.landmarks);
  if (!least) return { text: "No distance and duration below find a stay.", more };
  const at = `${duration(least.duration_s)} and ${metres(least.distance_m)}`;
  const fewest = least.landmarks / events;
  const text = `Stays are at least ${percent(fewest)} of the events, with ${at}: protect fewer of them.`;
  return { text, values: fewest < share ? valuesOf(least) : undefined, more };
}

function curve(/** @type {Survey} */ { counts, events, proposal }) {
  const durations = [...new Set(counts.map((one) => one.duration_s))];
  const distances = [...new Set(counts.map((one) => one.distance_m))];
  const x = (seconds) => LEFT + (durations.indexOf(seconds) / (durations.length - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (landmarks) => BOTTOM - (landmarks / events) * (BOTTOM - TOP);
  const of = (distance) => counts.filter((one) => one.distance_m === distance);
  const named = [...distances].reverse(); // of equal ones the farthest is on top
  const tops = named.map((distance) => y(of(distance)[0].landmarks) - TOP);
  const at = spread(tops, APART, BOTTOM - TOP);
  const line = (distance, i) => {
    const points = of(distance).map((one) => `${x(one.duration_s)},${y(one.landmarks)}`);
    const chosen = proposal?.distance_m === distance ? "stay-curve__chosen" : null;
    return svg("polyline", { points: points.join(" "), "stroke-dasharray": DASHES[i % DASHES.length], class: chosen });
  };
  const text = distances.map((distance) => {
    const each = of(distance).map((one) => `${duration(one.duration_s)} ${whole(one.landmarks)}`);
    return `${metres(distance)}: ${each.join(", ")}`;
  });
  const grid = (share) => {
    const height = y(share * events);
    return [
      svg("line", { class: "stay-curve__grid", x1: LEFT, x2: WIDTH - RIGHT, y1: height, y2: height }),
      svg("text", { x: WIDTH - RIGHT + 5, y: height + 3 }, percent(share)),
    ];
  };
  const ticks = durations.filter((_, i) => i % 2 === 0);
  const caption = "Landmarks, as a share of the events, by the duration and distance of stays";
  const drawn = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Landmarks found. ${text.join(". ")}.` },
    [0, 0.5, 1].map(grid),
    ticks.map((one) => svg("text", { x: x(one), y: BOTTOM + 14, "text-anchor": "middle" }, duration(one))),
    distances.map(line),
    named.map((one, i) => svg("text", { x: LEFT - 4, y: TOP + at[i] + 3, "text-anchor": "end" }, metres(one))),
    proposal && svg("circle", { cx: x(proposal.duration_s), cy: y(proposal.landmarks), r: 3.5 }),
  );
  return el("figure", { class: "stay-curve" }, el("figcaption", { class: "small muted" }, caption), drawn);
}
