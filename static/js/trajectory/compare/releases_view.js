/* What the page shows of its releases beside map and charts: the answer, the table, the guarantee, a menu of each. */

import { withQuery } from "../../core/address.js";
import { $, $$ } from "../../core/dom.js";
import { showAnswer } from "./answer.js";
import { showGuarantee } from "./guarantee.js";
import { releaseMenu } from "./release_menu.js";
import { showSummary } from "./summary_table.js";

/**
 * `known()` is the present state of the page, with `titles` the mechanisms of the API by name. `on.attempt(what)` runs
 * what may fail, `on.attack(layer)` attacks a release, `on.join(release)` adds one that was made of another.
 */
export function createReleasesView(bench, page, known, on) {
  /** @type {any} */
  let smoothing = null;

  /** Open the dialog of post-processing, which is loaded with its first use. */
  async function smooth(layer) {
    const { createSmoothing } = await import("./postprocess_dialog.js");
    smoothing ??= createSmoothing(page.urls.postprocesses, (release) => on.attempt(() => on.join(release)));
    smoothing.open(layer.release, known().titled(layer));
  }

  const shownBy = { formats: page.formats, mayDelete: "mayDelete" in bench.dataset };
  const actions = {
    smooth: (layer) => on.attempt(() => smooth(layer)),
    attack: (layer) => on.attempt(() => on.attack(layer)),
  };
  /** The menu of the layer `id`. */
  const menu = (id) => {
    const layer = () => known().layers.find((one) => one.id === id);
    return releaseMenu(() => ({ layer: layer(), title: known().titled(layer()) }), shownBy, actions);
  };

  return {
    menu,
    /** The table, with the highest `losses` by id, and the links to all releases that are done. */
    summary(losses = new Map()) {
      const { layers, lineStyles, titled, titles } = known();
      const shown = layers.map((layer) => ({
        layer,
        lineStyle: lineStyles.get(layer.id),
        title: titled(layer),
        level: titles.get(layer.release.mechanism.name)?.level ?? "",
        loss: losses.get(layer.id) ?? null,
      }));
      showSummary($("[data-summary]"), shown, ({ id }) => menu(id));
      const done = layers.filter((layer) => layer.done).map(({ id }) => ["release", id]);
      for (const link of $$("[data-together]")) {
        if (done.length) link.href = withQuery(page.urls[link.dataset.together], done);
      }
    },
    /** The guarantee of the release that is looked at, and which of all can be used. */
    answer() {
      const { active: layer, titled } = known();
      const host = $("[data-guarantee]");
      host.hidden = !layer;
      if (layer) showGuarantee(host, layer.release, titled(layer));
      showAnswer($("[data-answer]"), known(), page);
    },
  };
}
