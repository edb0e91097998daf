/* Two to four maps side by side, one layer each, at the same place and scale. */

import { el } from "../../core/dom.js";
import { createMapView } from "./map_view.js";
import { layerSelect } from "./layer_select.js";

export const MOST = 4;

/**
 * Panes in `host`, the first around `first` = {pane, sheet}; the others are made by `makeMap(element, label)` when they
 * are first shown. `on.choose(index, id)`; `on.made(mapView)` receives every one.
 */
export function createGrid(host, first, makeMap, on) {
  const panes = [];
  let count = 1;
  let camera = null; // what all of them show

  function add(pane, mapView) {
    const index = panes.length;
    const select = layerSelect(`Layer of map ${index + 1}`, (id) => on.choose(index, id));
    const head = el("div", { class: "pane__head", hidden: true }, select.element);
    const pointer = el("div", { class: "pane__pointer", hidden: true });
    pane.append(head, pointer);
    const made = { pane, mapView, select, head, pointer };
    panes.push(made);
    mapView.map.onCamera((to) => follow(made, to));
    mapView.map.onHover((at) => point(made, at));
    new ResizeObserver(() => keep(mapView.map)).observe(pane);
    on.made(mapView);
  }

  function make() {
    const ground = el("div", { class: "bench__ground" });
    const pane = el("div", { class: "pane" }, ground);
    host.append(pane);
    add(pane, createMapView(makeMap(ground, `Map ${panes.length + 1}`)));
  }

  const open = () => panes.slice(0, count);

  /** After its size changed: the same place in the middle, or all that it was fitted to. */
  function keep(map) {
    if (count > 1 && camera && !(map === first.mapView.map && map.isFitted())) map.setCamera(camera);
  }

  function follow(leader, to) {
    if (count < 2 || leader.pane.hidden) return;
    camera = to;
    open().forEach((one) => one !== leader && one.mapView.map.setCamera(to));
  }

  /** Where the pointer is on one map, on all the others. */
  function point(from, at) {
    for (const one of open()) {
      one.pointer.hidden = !at || one === from || count < 2;
      if (one.pointer.hidden) continue;
      const { x, y } = one.mapView.map.point(at.lon, at.lat);
      one.pointer.style.setProperty("transform", `translate(${x}px, ${y}px)`);
    }
  }

  add(first.pane, first.mapView);

  return {
    mapViews: () => open().map(({ mapView }) => mapView),
    /** Show a map for each of `ids`; one without ids, as a plain map. */
    show(ids, choices = []) {
      const before = count;
      count = Math.max(1, ids.length);
      if (before !== count) camera = first.mapView.map.camera(); // before the panes change their size
      while (panes.length < count) make();
      host.dataset.maps = String(count);
      panes.forEach(({ pane, head, pointer, select, mapView }, i) => {
        pane.hidden = i >= count;
        head.hidden = !ids.length;
        pointer.hidden = true;
        if (pane.hidden) mapView.show([]);
        else if (ids.length) select.set(choices, ids[i]);
      });
      if (before === count) return;
      const { map } = first.mapView;
      map.resized();
      if (map.isFitted()) camera = map.camera();
      else map.setCamera(camera);
      for (const { mapView } of open().slice(1)) {
        mapView.map.resized();
        mapView.map.setCamera(camera);
      }
    },
  };
}
