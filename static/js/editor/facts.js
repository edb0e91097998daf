/* What is marked, in numbers, and the list of stretches. */

import { $, count, duration, el, moment, number, percent, whole } from "../dom.js";
import { term } from "../glossary.js";

const LISTED = 200;

/** How much is marked: `marked` of `points` events in `runs` stretches; `distance` is null where it is not known. */
export function showFacts({ marked, points, runs, distance }) {
  $("[data-count]").textContent = whole(marked);
  $("[data-share]").textContent = `of ${count(points, "event")} · ${percent(points ? marked / points : 0)}`;
  const place = $("[data-more-facts]");
  const facts = marked ? [count(runs, "stretch", "stretches"), ...(distance === null ? [] : toNearest(distance))] : ["Nothing is marked yet."];
  const text = facts.map((part) => part.textContent ?? part).join("");
  if (place.textContent !== text) place.replaceChildren(...facts); // an explained word keeps focus while nothing changes
}

const toNearest = (distance) => [
  ` · on average ${number(distance)} ${distance === 1 ? "event" : "events"} from a `,
  term("regular-event", "regular event"),
  " to the nearest landmark",
];

/** The list of stretches of one series: when, how long, how many events; a press leads there. */
export function showStretches(runs, track, goTo) {
  const items = runs.slice(0, LISTED).map(([start, end]) => {
    const when = track.time ? moment(track.time[start], { seconds: false }) : `Event ${start}`;
    const long = track.time ? `${duration(track.time[end - 1] - track.time[start])} · ` : "";
    return el(
      "li",
      {},
      el("button", { type: "button", class: "stay", onclick: () => goTo(start) }, el("span", {}, when), el("span", { class: "muted" }, `${long}${count(end - start, "event")}`)),
    );
  });
  $("[data-stays-title]").textContent = runs.length ? count(runs.length, "stretch", "stretches") : "No landmarks here";
  $("[data-stays]").replaceChildren(...items);
  const more = $("[data-more-stays]");
  more.hidden = runs.length <= LISTED;
  more.textContent = `and ${whole(runs.length - LISTED)} more`;
}
