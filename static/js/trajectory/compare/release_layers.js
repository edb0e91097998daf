/* What the comparison holds: the dataset, one series of the original, the releases with their tracks and curves. */

import { withQuery } from "../../core/address.js";
import { get } from "../../core/api.js";
import { nearestIndex } from "../../core/sorted_search.js";
import { DIAMETER_M } from "../loss/view_state.js";
import { fetchTrack } from "../track.js";

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
    this.track = null;
    this.holds = 0;
    this.unloaded = true;
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
    if (!this.coming.has(address))
      this.coming.set(
        address,
        get(address).finally(() => this.coming.delete(address)),
      );
    return this.coming.get(address);
  }

  forget() {
    this.track = null;
    this.holds = 0;
    this.unloaded = false;
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
