/* What the editor shows of no landmarks, or of more than half of the events: stay points that the data suggest, and a
 * curve of how many landmarks each distance and duration give.
 */

import { spread } from "../../charts/end_labels.js";
import { get } from "../../core/api.js";
import { el, svg } from "../../core/dom.js";
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
 * The part in `host`, from the counts at `url`, which is undefined of data without times; `apply(values)` on a click.
 * Returns show(marked, points), which resolves once all is shown.
 *
 * @param {HTMLElement} host
 * @param {{url: string | undefined, apply: (values: Record<string, any>) => void}} options
 */
export function createProposal(host, { url, apply }) {
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
      const found = url ? await (survey ??= get(url).catch((error) => ({ problem: error.message }))) : null;
      if (shown !== reason) return; // another count meanwhile
      host.replaceChildren(el("p", {}, el("strong", {}, reason)), ...proposed(found, apply).filter(Boolean));
      host.hidden = false;
    }
  };
}

/**
 * @param {Survey | null} survey
 * @param {(values: Record<string, any>) => void} apply
 * @returns {any[]}
 */
function proposed(survey, apply) {
  if (!survey) return [el("p", {}, "Without times no stays are found: select events, or draw zones.")];
  if (survey.problem) return [el("p", {}, survey.problem)];
  const { proposal, events, of } = survey;
  const sample =
    events < of ? [el("p", { class: "small muted" }, `Counted in ${whole(events)} of ${whole(of)} events.`)] : [];
  const none =
    "No distance and duration below find a stay with at most half of the events: select events, or draw zones.";
  const text = proposal ? `${proposalText(proposal)}: ${count(proposal.landmarks, "landmark")}.` : none;
  const use = () => proposal && apply(valuesOf(proposal));
  const button =
    proposal && el("button", { class: "button button--small", type: "button", onclick: use }, "Use these stay points");
  return [el("p", {}, text), button && el("p", {}, button), curve(survey), ...sample];
}

/** @param {Survey} survey */
function curve({ counts, events, proposal }) {
  const durations = [...new Set(counts.map((one) => one.duration_s))];
  const distances = [...new Set(counts.map((one) => one.distance_m))];
  const x = (/** @type {number} */ seconds) =>
    LEFT + (durations.indexOf(seconds) / (durations.length - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (/** @type {number} */ landmarks) => BOTTOM - (landmarks / events) * (BOTTOM - TOP);
  const of = (/** @type {number} */ distance) => counts.filter((one) => one.distance_m === distance);
  const named = [...distances].reverse(); // of equal ones the farthest is on top
  const at = spread(
    named.map((distance) => y(of(distance)[0].landmarks) - TOP),
    APART,
    BOTTOM - TOP,
  );
  const line = (/** @type {number} */ distance, /** @type {number} */ i) =>
    svg("polyline", {
      points: of(distance)
        .map((one) => `${x(one.duration_s)},${y(one.landmarks)}`)
        .join(" "),
      "stroke-dasharray": DASHES[i % DASHES.length],
      class: proposal?.distance_m === distance ? "stay-curve__chosen" : null,
    });
  const text = distances.map(
    (distance) =>
      `${metres(distance)}: ${of(distance)
        .map((one) => `${duration(one.duration_s)} ${whole(one.landmarks)}`)
        .join(", ")}`,
  );
  const ticks = durations.filter((_, i) => i % 2 === 0);
  return el(
    "figure",
    { class: "stay-curve" },
    el(
      "figcaption",
      { class: "small muted" },
      "Landmarks, as a share of the events, by the duration and distance of stays",
    ),
    svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Landmarks found. ${text.join(". ")}.` },
      [0, 0.5, 1].map((share) => [
        svg("line", {
          class: "stay-curve__grid",
          x1: LEFT,
          x2: WIDTH - RIGHT,
          y1: y(share * events),
          y2: y(share * events),
        }),
        svg("text", { x: WIDTH - RIGHT + 5, y: y(share * events) + 3 }, percent(share)),
      ]),
      ticks.map((one) => svg("text", { x: x(one), y: BOTTOM + 14, "text-anchor": "middle" }, duration(one))),
      distances.map(line),
      named.map((one, i) => svg("text", { x: LEFT - 4, y: TOP + at[i] + 3, "text-anchor": "end" }, metres(one))),
      proposal && svg("circle", { cx: x(proposal.duration_s), cy: y(proposal.landmarks), r: 3.5 }),
    ),
  );
}
