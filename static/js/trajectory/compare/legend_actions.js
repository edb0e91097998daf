/* What a reader does with a layer in the legend, beside showing it: its style, its place, its job. */

import { refreshJobs } from "../../components/jobs.js";
import { post } from "../../core/api.js";
import { announce } from "../../core/dom.js";
import { listedIds, ORIGINAL } from "./map_layers.js";
import { nameOf, setLineStyle } from "./view_state.js";

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
