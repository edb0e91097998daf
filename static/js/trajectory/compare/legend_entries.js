/* The layers and the marks as the legend lists them. */

import { duration } from "../../core/format.js";
import { cursorText } from "./cursor.js";
import { listedIds, ORIGINAL } from "./map_layers.js";
import { factsOf } from "./release_layers.js";
import { verdictText } from "../../components/verdict_text.js";
import { nameOf } from "./view_state.js";

const OWN = { facts: "private to you", owner: true, private: true };

function ofLayer(layer, { lineStyles, cursor, original, active, alone, titled, drawings }) {
  const { release } = layer;
  const drawing = drawings.entry(layer.id);
  return {
    id: layer.id,
    title: titled(layer),
    facts: [verdictText(release.verdict), factsOf(release), drawing.text].filter(Boolean).join(" · "),
    drawing,
    lineStyle: lineStyles.get(layer.id),
    visible: layer.visible,
    error_m: release.owner_view?.median_error_m,
    state: release.state === "done" && !layer.track && !layer.unloaded ? "reading" : release.state,
    stage: release.stage,
    progress: release.progress,
    queue: release.queue_position,
    eta: release.eta_s ? duration(Math.ceil(release.eta_s)) : "",
    reason: release.error ? `${release.error.message} ${release.error.action}` : "",
    private: release.seed === null,
    cursorText: cursorText(cursor, layer, original),
    active: active === layer,
    alone: alone === layer.id,
  };
}

/**
 * The legend's entries for `layers` and the `marks` above them, in their order; `titled(layer)` is what one is called.
 */
export function entriesOf({ layers, marks, view, ...rest }) {
  const first = { ...OWN, id: ORIGINAL, title: "Original", lineStyle: null, visible: !view.hidden.has(ORIGINAL) };
  const all = new Map(
    [first, ...layers.map((layer) => ofLayer(layer, /** @type {any} */ (rest)))].map((entry) => [entry.id, entry]),
  );
  const ids = listedIds(layers, view);
  const lines = ids.map((id, i) => ({ ...all.get(id), place: { first: i === 0, last: i === ids.length - 1 } }));
  const above = marks.map(({ id, title, count, facts = OWN.facts }) => ({
    ...OWN,
    facts,
    id,
    title,
    count,
    mark: id,
    visible: !view.hidden.has(id),
  }));
  return [...lines, ...above].map((entry) => ({ ...entry, opacity: view.opacity.get(nameOf(entry.id)) ?? 1 }));
}
