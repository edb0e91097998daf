/* The layers and the marks as the legend lists them, and what a reader does with one there, beside showing it: its
 * drawing, its style, its place, its job.
 */

import { refreshJobs } from "../../components/jobs.js";
import { verdictText } from "../../components/verdict_text.js";
import { post } from "../../core/api.js";
import { announce } from "../../core/dom.js";
import { duration } from "../../core/format.js";
import { classText } from "../../map/density.js";
import { cursorText } from "./cursor.js";
import { listedIds, ORIGINAL } from "./map_layers.js";
import { factsOf } from "./releases.js";
import { nameOf, setLineStyle } from "./view_state.js";

const OWN = { facts: "owner only", owner: true, private: true };

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
    ...{ ...OWN, facts, id, title, count, mark: id, visible: !view.hidden.has(id) },
  }));
  return [...lines, ...above].map((entry) => ({ ...entry, opacity: view.opacity.get(nameOf(entry.id)) ?? 1 }));
}

/**
 * Listeners of the legend. `known()` = {layers, view, titled}; `on.styled()` after a release has another line,
 * `on.view()` after the view changed, `on.job(layer)` after its job did, `on.watch(layer)` follows a job,
 * `on.attempt(what)` runs what may fail.
 */
export function createLegendActions(known, on) {
  const layerOf = (id) => known().layers.find((one) => one.id === id);

  const changeJob = (id, action, after) =>
    on.attempt(async () => {
      const layer = layerOf(id);
      layer.release = await post(`${layer.release.urls.self}${action}/`);
      on.job(layer);
      after(layer);
    });

  return {
    opacity(id, share) {
      known().view.opacity.set(nameOf(id), share);
      on.view();
    },
    /** Give a release another line of the palette, on map and charts; who had it gets the next that is free. */
    lineStyle(id, index) {
      setLineStyle(known().view, id, index);
      on.styled();
    },
    move(id, by) {
      const { layers, view, titled } = known();
      const ids = listedIds(layers, view);
      const at = ids.indexOf(id);
      ids.splice(at, 1);
      ids.splice(at + by, 0, id);
      view.order = ids.map(nameOf);
      on.view();
      const title = id === ORIGINAL ? "Original" : titled(layerOf(id));
      announce(`${title} is ${at + by + 1} of ${ids.length}, from the top.`);
    },
    cancel: (id) => changeJob(id, "cancel", (layer) => announce(`${known().titled(layer)} is being cancelled.`)),
    retry: (id) =>
      changeJob(id, "retry", (layer) => {
        on.watch(layer);
        refreshJobs();
      }),
  };
}

/** Drawings that `view` holds; `on.view()` after the reader chose one, `on.drawn()` after another one was drawn. */
export function createDrawings(view, on) {
  const drawn = new Map(); // id -> {drawing, classes}: of the last frame
  const chosen = (id) => view.drawings.get(nameOf(id)) ?? "auto";
  return {
    chosen,
    choose(id, drawing) {
      if (drawing === "auto") view.drawings.delete(nameOf(id));
      else view.drawings.set(nameOf(id), drawing);
      on.view();
    },
    /** Note what a frame has drawn of a release. */
    note(id, drawing, classes) {
      const before = drawn.get(id);
      if (before?.drawing === drawing && String(before.classes) === String(classes)) return;
      drawn.set(id, { drawing, classes: [...classes] });
      on.drawn();
    },
    /** What the legend lists of a release: {chosen, drawing, text}. */
    entry(id) {
      const { drawing = "line", classes = [] } = drawn.get(id) ?? {};
      const cells = drawing === "density" && classes.length ? `, events per cell ${classText(classes)}` : "";
      return { chosen: chosen(id), drawing, text: drawing === "line" ? "" : `drawn as ${drawing}${cells}` };
    },
  };
}
