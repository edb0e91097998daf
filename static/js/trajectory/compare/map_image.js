/* What a saved image of the comparison's map states. */

import { COLOURS } from "../people.js";
import { ORIGINAL } from "./map_layers.js";

const SEEDED = "Not private: a seeded simulation is shown, which is not for publication.";

/** Parts of a file's name: one release by its mechanism and level, several by their number. */
function partsOf(layers) {
  if (layers.length !== 1) return layers.length ? [`${layers.length}-releases`] : [];
  const { name, epsilon, radius_m } = layers[0].release.mechanism;
  return [name, `eps${epsilon}`, `D${radius_m}m`];
}

/**
 * What the page holds, as a description of its map (see map/image/sheet.js).
 *
 * @param {any} known
 * @returns {import("../../map/image/sheet.js").Description}
 */
export function imageOf(known) {
  const { layers, marks, view, lineStyles, titled, dataset, people, drawings } = known;
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
    ...marks.map(({ id, kind, title, style }) => ({ ids: [id], name: title, kind, style })),
    ...(people.isOn() ? [] : [{ ids: ["selection"], name: "Selected event", kind: "selection" }]),
  ];
  const isSeeded = shown.some(({ release }) => release.seed !== null) || marks.some(({ kind }) => kind === "cloud");
  const title = [dataset.name, ...(shown.length === 1 ? [titled(shown[0])] : [])].join(": ");
  const published = shown.map(({ id }) => id);
  return { title, entries, published, notes: isSeeded ? [SEEDED] : [], file: partsOf(shown) };
}
