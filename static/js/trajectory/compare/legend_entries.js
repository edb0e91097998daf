/* The layers and the marks as the legend lists them. */

import { duration } from "../../core/dom.js";
import { hereText } from "./cursor.js";
import { nameOf } from "./view_state.js";
import { factsOf } from "./release_layers.js";
import { ORIGINAL, listedIds } from "./map_layers.js";

const OWN = { facts: "yours alone", owner: true, private: true };

function ofLayer(layer, { inks, here, original, active, titled }) {
  const { release } = layer;
  return {
    id: layer.id,
    title: titled(layer),
    facts: factsOf(release),
    ink: inks.get(layer.id),
    visible: layer.visible,
    error_m: release.owner_view?.mae_m,
    state: release.state === "done" && !layer.track && !layer.resting ? "reading" : release.state,
    stage: release.stage,
    progress: release.progress,
    eta: release.eta_s ? duration(Math.ceil(release.eta_s)) : "",
    reason: release.error ? `${release.error.message} ${release.error.action}` : "",
    private: release.seed === null,
    here: hereText(here, layer, original),
    active: active === layer,
  };
}

/** The legend's entries for `layers` and the `marks` above them, in their order; `titled(layer)` is what one is called. */
export function entriesOf({ layers, marks, look, ...rest }) {
  const first = { ...OWN, id: ORIGINAL, title: "Original", ink: null, visible: !look.hidden.has(ORIGINAL) };
  const all = new Map([first, ...layers.map((layer) => ofLayer(layer, rest))].map((entry) => [entry.id, entry]));
  const ids = listedIds(layers, look);
  const lines = ids.map((id, i) => ({ ...all.get(id), place: { first: i === 0, last: i === ids.length - 1 } }));
  const above = marks.map(({ id, title, count }) => ({
    ...OWN,
    id,
    title,
    count,
    mark: id,
    visible: !look.hidden.has(id),
  }));
  return [...lines, ...above].map((entry) => ({ ...entry, opacity: look.opacity.get(nameOf(entry.id)) ?? 1 }));
}
