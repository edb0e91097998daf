/* The people of a dataset on a map: who each series is of, in which colour, and where it lies in a track of all. */

import { withQuery } from "../core/address.js";
import { get } from "../core/api.js";
import { runsWithin } from "../core/event_runs.js";
import { count } from "../core/format.js";
import { lastAtMost } from "../core/sorted_search.js";

const MANY = 50; // people, from whom on their lines are thinner
const AT_ONCE = 5000; // series in one response, the most there are

/** Colours of people, in turn: none is a mechanism's, the original's or the landmarks'. */
export const COLOURS = [
  { light: "#332288", dark: "#a79bf0" },
  { light: "#117733", dark: "#5fc98a" },
  { light: "#8a6a1e", dark: "#d9b45b" },
  { light: "#882255", dark: "#e58ab5" },
  { light: "#1f7484", dark: "#6cc6d6" },
  { light: "#aa4499", dark: "#e29ad6" },
  { light: "#2f62c0", dark: "#8db4ff" },
  { light: "#5e7a12", dark: "#b5d15a" },
  { light: "#50606e", dark: "#b3c0cc" },
  { light: "#7a4a2a", dark: "#d2a27f" },
];

/**
 * The series of a dataset as the API has them; those of several are requested in pages.
 *
 * @param {{series_count: number, points: number, urls: {series: string}}} dataset
 */
export async function seriesOf({ series_count, points, urls }) {
  if (series_count === 1) return [{ index: 0, name: "", person: "", points, first_event: 0 }];
  const found = [];
  for (let page = 1; found.length < series_count; page += 1) {
    const { results } = await get(withQuery(urls.series, { page, page_size: AT_ONCE }));
    found.push(...results);
  }
  return found;
}

/**
 * Who the series of a dataset are of: [{index, name, points, number, colour}], `number` the place of its colour.
 * Series of one person share a colour; where all are one person's, each has its own.
 *
 * @param {{index: number, name: string, person: string, points: number}[]} series as the API has them
 */
export function peopleOf(series) {
  const names = [...new Set(series.map(({ person }) => person))];
  const isOne = names.length === 1;
  const places = new Map(names.map((name, i) => [name, i]));
  return series.map(({ index, name, person, points }, i) => {
    const number = (isOne ? i : (places.get(person) ?? 0)) % COLOURS.length;
    return { index, name: nameOf(index, name, isOne ? "" : person), points, number, colour: COLOURS[number] };
  });
}

function nameOf(index, name, person) {
  const own = name || `Series ${index + 1}`;
  return person && person !== name ? `${person} · ${own}` : own;
}

/** Whether each series is of another person. */
export const isOfPeople = (series) => new Set(series.map(({ person }) => person)).size === series.length;

/** What one of them is called: person, or series where a person has several. */
export const nounOf = (series) => (isOfPeople(series) ? "person" : "series");

/** What their colours are. */
export function coloursText(series) {
  const whose = new Set(series.map(({ person }) => person)).size > 1 ? "person" : "series";
  const repeat = series.length > COLOURS.length ? `; colours repeat after ${count(COLOURS.length, whose)}` : "";
  return `Each colour is a ${whose}${repeat}.`;
}

/** The width of a person's line where so many are shown. */
export const lineWidth = (n) => (n > MANY ? 1.1 : 1.6);

/** What all of them are called: "All 300 people", or "All 24 series" where a person has several. */
export const allText = (series) => `All ${count(series.length, nounOf(series))}`;

/** The series (a piece of `track`) that its point `i` belongs to. */
export const seriesAt = (track, i) => lastAtMost(track.ends, i) + 1;

/** The points of one series in a track of all. */
export const seriesPart = (track, index) => track.part(index ? track.ends[index - 1] : 0, track.ends[index]);

/**
 * Runs of events of the whole dataset as runs of points of a reduced `track`; where none of a run's events is left, the
 * point before it.
 */
export function runsOfPoints(track, runs) {
  return runs.map(([start, end]) => {
    const first = lastAtMost(track.event, start - 1) + 1;
    const after = lastAtMost(track.event, end - 1) + 1;
    return after > first ? [first, after] : [Math.max(0, first - 1), Math.max(1, first)];
  });
}

/** Runs over the whole dataset, whose series have `counts` events, as they lie in the series `index`. */
export function runsOfSeries(runs, counts, index) {
  const first = counts.slice(0, index).reduce((sum, n) => sum + n, 0);
  return runsWithin(runs, [first, first + counts[index]]).map(([start, end]) => [start - first, end - first]);
}
