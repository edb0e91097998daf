/* An attack on a release: chosen in a dialog, followed, shown in a panel and on the maps. One at a time.
 *
 * The page's address keeps which (attack=id), so that the jobs drawer, a link or a reload lead to it.
 */

import { readdress } from "../../core/address.js";
import { del, get, isOver, poll, post } from "../../core/api.js";
import { announce } from "../../core/dom.js";
import { refreshJobs } from "../../components/jobs.js";
import { fetchTrack } from "../track.js";
import { createAttackPanel } from "./attack_panel.js";
import { partOf } from "../track_parts.js";

/** What is shown while there is no attack. */
/** @type {{attack: any, places: any[], track: import("../track.js").Track | null}} */
const NOTHING = { attack: null, places: [], track: null };

/**
 * Attacks, shown in `host` and chosen in `dialog`. `attempt(action)` runs an action that may fail; `changed()` is
 * called when there is something else to draw, `show(box)` brings [west, south, east, north] into sight.
 */
export class Attacks {
  #shown = NOTHING;
  /** @type {any} */
  form = null;
  /** @type {AbortController | null} */
  #following = null;

  constructor(host, dialog, { urls, dataset, attempt, changed, show }) {
    this.host = host;
    this.urls = urls;
    this.dataset = dataset;
    this.attempt = attempt;
    this.changed = changed;
    this.show = show;
    this.panel = createAttackPanel(host, dataset, {
      close: () => this.#close(),
      find: () => this.#find(),
      cancel: () => this.#act("cancel"),
      retry: () => this.#act("retry"),
      remove: () => attempt(() => this.#remove()),
    });
    this.dialog = dialog;
  }

  /** Open the dialog for a release; it is loaded with its first use. */
  async open(release, title, series) {
    const { createAttackForm } = await import("./attack_form.js");
    const { urls, dataset, attempt } = this;
    this.form ??= createAttackForm(this.dialog, { urls, dataset, made: (made) => attempt(() => this.#begin(made)) });
    return this.form.open(release, title, series);
  }

  /** What lies above the lines while `series` is shown (see map_layers.js): places, or the path within `range`. */
  marks(series, range) {
    const { attack } = this.#shown;
    if (!attack || (attack.series !== null && attack.series !== series)) return [];
    return isDrawn(this.#shown) ? marksOf(this.#shown, range) : [];
  }

  /** Show the one that the address names, if it still exists. */
  resume() {
    const id = new URLSearchParams(location.search).get("attack");
    if (id) this.attempt(() => this.#open(id));
  }

  async #open(id) {
    try {
      await this.#follow(await get(`${this.urls.attacks}${encodeURIComponent(id)}/`));
    } catch (error) {
      if (!this.#shown.attack) this.#close(); // it was deleted
      throw error;
    }
  }

  #begin(made) {
    const followed = this.#follow(made);
    this.host.focus({ preventScroll: true });
    this.host.scrollIntoView({ block: "start" });
    return followed;
  }

  /** Show an attack until it is over, then its result. */
  async #follow(made) {
    this.#clear();
    this.#following = new AbortController();
    const { signal } = this.#following;
    readdress((url) => url.searchParams.set("attack", made.id));
    const update = (attack) => {
      this.#shown = { ...this.#shown, attack };
      this.panel.show(attack, false);
    };
    update(made);
    await untilOver(made, signal, update);
    if (this.#shown.attack?.state === "done") await this.#draw(signal);
    if (signal.aborted) return;
    const { title, state, sentence } = this.#shown.attack;
    announce(`${title}: ${state === "done" ? sentence : `${state}.`}`);
  }

  async #draw(signal) {
    const { attack } = this.#shown;
    const { places, path } = await get(attack.urls.result, { signal });
    const track = path ? await fetchTrack(attack.urls.track, { signal, time: false }) : null;
    if (signal.aborted) return;
    this.#shown = { attack: { ...attack, guesses_events: path }, places, track };
    this.panel.show(this.#shown.attack, isDrawn(this.#shown));
    this.changed();
    if (!isWithin(this.#box(), this.dataset.bounds)) this.#find();
  }

  #clear() {
    this.#following?.abort();
    this.#shown = NOTHING;
  }

  #close() {
    this.#clear();
    readdress((url) => url.searchParams.delete("attack"));
    this.panel.hide();
    this.changed();
  }

  #act(action) {
    const { attack } = this.#shown;
    return this.attempt(async () => this.#follow(await post(`${attack.urls.self}${action}/`)));
  }

  async #remove() {
    const { title, urls } = this.#shown.attack;
    await del(urls.self);
    this.#close();
    announce(`${title} is deleted.`);
  }

  #box() {
    return boxAround(this.#shown, this.dataset.bounds);
  }

  #find() {
    const box = this.#box();
    if (box) this.show(box);
  }
}

const isDrawn = ({ places, track }) =>
  places.some(({ lon, found_lon }) => lon !== null || found_lon !== null) || track !== null;

/** [west, south, east, north] around all that is drawn of an attack and of the dataset; null around nothing. */
export function boxAround({ places, track }, bounds) {
  if (track || !bounds || bounds[0] > bounds[2]) return track ? track.bounds() : bounds;
  const points = places
    .flatMap(({ lon, lat, found_lon, found_lat }) => [
      [lon, lat],
      [found_lon, found_lat],
    ])
    .filter(([lon]) => lon !== null);
  const lons = [...points.map(([lon]) => lon), bounds[0], bounds[2]];
  const lats = [...points.map(([, lat]) => lat), bounds[1], bounds[3]];
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)];
}

/** Whether a map that shows `bounds` shows all of `box`. */
export function isWithin(box, bounds) {
  if (!box || !bounds) return true;
  const [west, south, east, north] = bounds;
  return west > east || box[0] > box[2] || (box[0] >= west && box[1] >= south && box[2] <= east && box[3] <= north);
}

/** What lies above the lines for an attack: its places, or the path within `range`. */
export function marksOf({ places, track }, range) {
  if (track) {
    return [{ id: "guessed", kind: "guessed", title: "Guessed path", count: track.n, source: partOf(track, range) }];
  }
  const count = places.filter(({ found_lon }) => found_lon !== null).length;
  return [{ id: "guesses", kind: "guesses", title: "Guessed places", count, source: places }];
}

/** Follow an attack until it is over; `onUpdate(attack)` receives each state. */
async function untilOver(attack, signal, onUpdate) {
  if (isOver(attack)) return;
  refreshJobs();
  const update = (now) => signal.aborted || onUpdate(now);
  await poll(attack.urls.self, { every: 500, onUpdate: update, signal });
  refreshJobs();
}
