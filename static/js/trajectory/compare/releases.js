/* What the comparison holds: the dataset, one series of the original, the releases with their tracks, curves and
 * lines.
 */

import { withQuery } from "../../core/address.js";
import { get } from "../../core/api.js";
import { nearestIndex } from "../../core/sorted_search.js";
import { DIAMETER_M } from "../loss/view_state.js";
import { fetchTrack } from "../track.js";
import { nameOf } from "./view_state.js";

const USUAL = { n: 2, s: 0.1, diameter_m: DIAMETER_M }; // the correlation curves are first fetched for
const POINTS = 4000; // of a curve; each curve's extremes are stored
const LARGE = 200_000; // points of a track that is let go while no user looks at it
const AT_ONCE = 12_000_000; // points of tracks held at a time without being requested: 12 bytes each

const textOf = (query) => String(new URLSearchParams(query));
const keyOf = (series, query) => `${series} ${query === USUAL ? USUAL_TEXT : textOf(query)}`;
const USUAL_TEXT = textOf(USUAL); // it is looked up for each event

/** One release as the page holds it. */
export class Layer {
  /** Without a landmark set of its own a release is compared on `landmarkSet`, which may be null. */
  constructor(release, landmarkSet = null) {
    this.release = release;
    this.comparedOn = release.landmark_set || !landmarkSet ? {} : { landmarks_of: landmarkSet };
    this.visible = true;
    this.track = null;
    this.holds = 0; // points of its track, or of the one on its way
    this.unloaded = false; // its track was let go, or never fetched, until it is looked at
    this.wasShown = false;
    this.curves = new Map(); // series and query -> chart data
    this.closer = new Map(); // what -> the last part of such data that was requested
    this.coming = new Map(); // address -> the promise of what is being fetched from it
  }

  get id() {
    return this.release.id;
  }

  get done() {
    return this.release.state === "done";
  }

  get open() {
    return this.release.state === "queued" || this.release.state === "running";
  }

  get drawn() {
    return this.done && this.track !== null;
  }

  /** True if it can be shown. */
  get ready() {
    return this.drawn || (this.done && this.unloaded);
  }

  /** True if its curves are charted, whether it is drawn on the map or rests: from when it was shown first. */
  get chartable() {
    return this.ready && this.wasShown;
  }

  /** Fetch its track of about `n` points; that of all series where `series` is null. */
  async load(series, n) {
    this.holds = n;
    this.wasShown = true;
    const { track, tracks } = this.release.urls;
    const url = series === null ? withQuery(tracks, { reduce: "sample" }) : withQuery(track, { series });
    this.track = await fetchTrack(url, { time: false });
    this.unloaded = false;
  }

  /** Not to be looked at for now, so not fetched; its id. */
  leave() {
    [this.visible, this.unloaded] = [false, true];
    return this.id;
  }

  /** Let a large track go while it is not looked at; returns whether it did. */
  rest() {
    if (!this.track || this.track.n <= LARGE) return false;
    Object.assign(this, { track: null, holds: 0, unloaded: true });
    return true;
  }

  /**
   * Chart data for what `query` gives of correlation and bound; closer within `range` where the whole is thinned out.
   */
  curve(series, query = USUAL, range = null) {
    return this.#read("series", keyOf(series, query), { ...query, series }, range);
  }

  /** Its errors as distributions and cumulated; the latter closer within `range` where the whole is thinned out. */
  errors(series, range = null) {
    return this.#read("errors", `errors ${series}`, { series }, range);
  }

  async #read(what, key, query, range) {
    const url = this.release.urls[what];
    if (!this.curves.has(key)) this.curves.set(key, await this.#fetch(url, query));
    const whole = this.curves.get(key);
    if (!range || !whole.decimated) return whole;
    const text = `${key} ${range}`;
    if (this.closer.get(what)?.text !== text) {
      const [first, after] = range;
      this.closer.set(what, { text, curve: await this.#fetch(url, { ...query, first, after }) });
    }
    return this.closer.get(what).curve;
  }

  /** What several charts request at once is fetched once. */
  #fetch(url, query) {
    const address = withQuery(url, { ...query, ...this.comparedOn, points: POINTS });
    const answer = this.coming.get(address) ?? get(address).finally(() => this.coming.delete(address));
    this.coming.set(address, answer);
    return answer;
  }

  forget() {
    Object.assign(this, { track: null, holds: 0, unloaded: false });
    this.curves.clear();
    this.closer.clear();
  }

  /** Index in the track of what was published for `event`; -1 where nothing was. */
  indexOf(event) {
    if (!this.track) return -1;
    if (!this.track.event) return event < this.track.n ? event : -1;
    const i = nearestIndex(this.track.event, event);
    return i >= 0 && this.track.event[i] === event ? i : -1;
  }

  /** The budget of an event's own draw: of the curve's nearest event where the curve is thinned out. */
  budgetAt(series, event) {
    const curve = this.curves.get(keyOf(series, USUAL));
    if (!curve) return null;
    const i = nearestIndex(curve.event, event);
    return i < 0 ? null : curve.budget[i];
  }

  /** Whether each of `n` events of a series is a landmark, by the curve. */
  landmarksOf(series, n) {
    const marks = new Uint8Array(n);
    for (const [start, end] of this.curves.get(keyOf(series, USUAL))?.landmarks ?? []) marks.fill(1, start, end);
    return marks;
  }
}

/** Whether one more track of `n` points may be held beside those of the layers. */
export function fitsInMemory(layers, n) {
  return n <= LARGE || layers.reduce((sum, { holds }) => sum + holds, n) <= AT_ONCE;
}

/** What to call one of `layers`: of several with a title, the older ones' numbers are smaller. */
export function titleOf(layer, layers) {
  const { title } = layer.release;
  const same = layers.filter(({ release }) => release.title === title);
  return same.length > 1 ? `${title} (${same.length - same.indexOf(layer)})` : title;
}

/** An order for layers: simulations last, then the palette's; a mechanism's own release before those with steps. */
export function byRank(palette) {
  const names = Object.keys(palette);
  const isSeeded = ({ seed }) => Number(seed !== null);
  return ({ release: a }, { release: b }) =>
    isSeeded(a) - isSeeded(b) ||
    names.indexOf(a.mechanism.name) - names.indexOf(b.mechanism.name) ||
    a.postprocess.length - b.postprocess.length;
}

/** The choices of a mechanism, which its title does not have, and where it is from. */
export function factsOf({ mechanism, derived_from }) {
  const { name, epsilon, radius_m, ...rest } = mechanism;
  const more = Object.values(rest).filter((value) => typeof value === "string" && value);
  const source = derived_from ? ["derived from another release"] : [];
  return [...more.map((value) => value.replaceAll("-", " ")), ...source].join(" · ");
}

/** The mechanisms' own lines, in the palette's order. @param {Record<string, LineStyle[]>} palette */
export const linesOf = (palette) => Object.values(palette).map(([own]) => own);

/**
 * A line for each release, by id: the one given in `chosen` (name to index), else its mechanism's own; of further
 * releases of a mechanism the next of its hue that no other release has.
 *
 * @param {any[]} releases
 * @param {Record<string, LineStyle[]>} palette
 * @param {Map<string, number>} chosen
 */
export function assignLineStyles(releases, palette, chosen = new Map()) {
  const own = linesOf(palette);
  const gone = Object.values(palette).at(-1); // of a mechanism that is not installed any more
  const given = new Map();
  const used = new Set();
  const give = (/** @type {any} */ { id }, /** @type {LineStyle} */ line) => {
    given.set(id, line);
    used.add(line);
  };
  for (const release of releases) {
    const line = own[chosen.get(nameOf(release.id)) ?? -1];
    if (line) give(release, line);
  }
  const fewestSteps = [...releases].sort((a, b) => a.postprocess.length - b.postprocess.length);
  for (const release of fewestSteps) {
    const [first] = palette[release.mechanism.name] ?? gone;
    if (!given.has(release.id) && !used.has(first)) give(release, first);
  }
  const oldestFirst = [...releases].sort((a, b) => a.created_at.localeCompare(b.created_at)); // a newcomer changes none
  for (const release of oldestFirst) {
    if (given.has(release.id)) continue;
    const all = palette[release.mechanism.name] ?? gone;
    give(release, all.find((line) => !used.has(line)) ?? all[given.size % all.length]);
  }
  return given;
}
