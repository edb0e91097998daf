/* What a saved image of the comparison's map states, and the playback that a film of it shows. */

import { eventNumber, moment, whole } from "../../core/format.js";
import { isInRuns } from "../../core/event_runs.js";
import { COLOURS } from "../people.js";
import { selectionOf } from "./cursor.js";
import { createFilm } from "./film.js";
import { ORIGINAL } from "./map_layers.js";

const SEEDED = "Not private: a seeded simulation is shown, which is not for publication.";

/** Parts of a file's name: one release by its mechanism and level, several by their number. */
function partsOf(layers) {
  if (layers.length !== 1) return layers.length ? [`${layers.length}-releases`] : [];
  const { name, epsilon, radius_m } = layers[0].release.mechanism;
  return [name, `eps${epsilon}`, `D${radius_m}m`];
}

/** The events that are played. */
function playbackOf({ layers, runs, dummies, original, view, cursor, lineStyles, active }) {
  const { n, time } = original;
  const [first, after] = view.range ?? [0, n];
  const text = (event, published) => {
    const at = time ? moment(time[event]) : "";
    const number = `event ${eventNumber(event)} of ${whole(n)}${isInRuns(runs, event) ? ", landmark" : ""}`;
    return published ? at || `event ${eventNumber(event)}` : [at, number].filter(Boolean).join(" · ");
  };
  const selection = (event, ids) => selectionOf(event, ids, { original, layers, runs, cursor, lineStyles, active });
  return { n, time, first, last: after - 1, runs, dummies: dummies ?? [], text, selection };
}

/**
 * What the page holds, as a description of its map (see map/image/sheet.js).
 *
 * @param {any} known
 * @returns {import("../../map/image/sheet.js").Description}
 */
export function imageOf(known) {
  const { layers, marks, view, lineStyles, titled, dataset, people, drawings, original } = known;
  const shown = layers.filter(({ id, drawn, visible }) => drawn && visible && !view.hidden.has(id));
  const coloured = people.isOn() && view.byPerson;
  const drawnAs = (style, kind) => (coloured ? { kind: "people", style: { colours: COLOURS } } : { kind, style });
  const entries = [
    { ids: [ORIGINAL], name: "Original", ...drawnAs({ colour: "--foreground" }, "line") },
    ...shown.map((layer) => ({
      ids: [layer.id],
      name: titled(layer),
      ...drawnAs(lineStyles.get(layer.id), drawings.entry(layer.id).drawing),
    })),
    ...marks.map(({ id, kind, title }) => ({ ids: [id], name: title, kind })),
    ...(people.isOn() ? [] : [{ ids: ["selection"], name: "Selected event", kind: "selection" }]),
  ];
  const description = {
    title: [dataset.name, ...(shown.length === 1 ? [titled(shown[0])] : [])].join(": "),
    entries,
    published: shown.map(({ id }) => id),
    notes: shown.some(({ release }) => release.seed !== null) ? [SEEDED] : [],
    file: partsOf(shown),
  };
  const plays = !people.isOn() && original?.n > 1;
  const film = (source, options) => createFilm(source, description, playbackOf(known), options);
  return { ...description, film: plays ? film : null };
}
