/* An attack on a release shown: asked for, followed, told of in a panel and drawn on the maps. One at a time.
 *
 * The page's address keeps which (attack=id), so that the jobs drawer, a link or a reload lead to it.
 */

import { readdress } from "../../core/address.js";
import { del, get, poll, post } from "../../core/api.js";
import { announce } from "../../core/dom.js";
import { refreshJobs } from "../../components/jobs.js";
import { fetchTrack } from "../track.js";
import { createAttackForm } from "./attack_form.js";
import { createAttackPanel } from "./attack_panel.js";
import { partOf } from "../track_parts.js";

const over = ({ state }) => state !== "queued" && state !== "running";

/**
 * Attacks, told of in `host` and asked for in `dialog`. `attempt(what)` runs what may fail; `changed()` hears when there
 * is something else to draw, `show(box)` brings [west, south, east, north] into sight.
 * Returns {open(release, title, series), marks(series, range), resume()}.
 */
export function createAttacks(host, dialog, { urls, dataset, attempt, changed, show }) {
  let [attack, places, track, following] = [null, [], null, null];
  const drawn = () => places.some(({ lon, found_lon }) => lon !== null || found_lon !== null) || track !== null;
  const panel = createAttackPanel(host, dataset, {
    close,
    find,
    cancel: () => act("cancel"),
    retry: () => act("retry"),
    remove: () => attempt(remove),
  });
  const form = createAttackForm(dialog, { urls, dataset, made: (made) => attempt(() => begin(made)) });

  function begin(made) {
    const followed = follow(made);
    host.focus({ preventScroll: true });
    host.scrollIntoView({ block: "start" });
    return followed;
  }

  /** Show it, and go on until it is over. */
  async function follow(made) {
    forget();
    attack = made;
    readdress((url) => url.searchParams.set("attack", made.id));
    panel.show(attack, false);
    following = new AbortController();
    const { signal } = following;
    if (!over(attack)) {
      refreshJobs();
      const onUpdate = (now) => {
        if (signal.aborted) return;
        attack = now;
        panel.show(attack, false);
      };
      await poll(attack.urls.self, { until: over, every: 500, onUpdate, signal });
      refreshJobs();
    }
    if (attack.state === "done") await draw(signal);
    if (!signal.aborted)
      announce(attack.state === "done" ? `${attack.title}: ${attack.sentence}` : `${attack.title}: ${attack.state}.`);
  }

  async function draw(signal) {
    const found = await get(attack.urls.result, { signal });
    const path = found.path ? await fetchTrack(attack.urls.track, { signal, time: false }) : null;
    if (signal.aborted) return;
    [places, track] = [found.places, path];
    attack = { ...attack, guesses_events: found.path };
    panel.show(attack, drawn());
    changed();
    if (!within(boxOf())) find();
  }

  function forget() {
    following?.abort();
    [attack, places, track, following] = [null, [], null, null];
  }

  function close() {
    forget();
    readdress((url) => url.searchParams.delete("attack"));
    panel.hide();
    changed();
  }

  const act = (what) => attempt(async () => follow(await post(`${attack.urls.self}${what}/`)));

  async function remove() {
    const { title, urls: own } = attack;
    await del(own.self);
    close();
    announce(`${title} is deleted.`);
  }

  /** [west, south, east, north] around all that is drawn of it and of the dataset; null around nothing. */
  function boxOf() {
    const { bounds } = dataset;
    if (track || !bounds || bounds[0] > bounds[2]) return track ? track.bounds() : bounds;
    const at = places
      .flatMap(({ lon, lat, found_lon, found_lat }) => [
        [lon, lat],
        [found_lon, found_lat],
      ])
      .filter(([lon]) => lon !== null);
    const [lons, lats] = [at.map(([lon]) => lon), at.map(([, lat]) => lat)].map((some, i) => [
      ...some,
      bounds[i],
      bounds[i + 2],
    ]);
    return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)];
  }

  /** True if the map shows it when it shows the dataset. */
  function within(box) {
    if (!box || !dataset.bounds) return true;
    const [west, south, east, north] = dataset.bounds;
    return west > east || box[0] > box[2] || (box[0] >= west && box[1] >= south && box[2] <= east && box[3] <= north);
  }

  function find() {
    const box = boxOf();
    if (box) show(box);
  }

  return {
    open: form.open,
    /** What lies above the lines while `series` is shown (see map_layers.js): places, or the path within `range`. */
    marks(series, range) {
      if (!attack || (attack.series !== null && attack.series !== series)) return [];
      if (track)
        return [
          { id: "guessed", kind: "guessed", title: "Guessed path", count: track.n, source: partOf(track, range) },
        ];
      const found = places.filter(({ found_lon }) => found_lon !== null).length;
      return drawn() ? [{ id: "guesses", kind: "guesses", title: "Guessed places", count: found, source: places }] : [];
    },
    /** Show the one that the address names, if it is there still. */
    resume() {
      const id = new URLSearchParams(location.search).get("attack");
      if (!id) return;
      attempt(async () => {
        try {
          await follow(await get(`${urls.attacks}${encodeURIComponent(id)}/`));
        } catch (error) {
          if (!attack) close(); // it was deleted
          throw error;
        }
      });
    },
  };
}
