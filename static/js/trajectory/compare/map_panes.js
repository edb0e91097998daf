/* Maps of the comparison: each shows a list of map layers and changes only what differs from the list before; layers
 * are beside each other as two sides of one map, parted by a line that is dragged or moved with the keys, or on two to
 * four maps, one layer each, at the same place and scale; each with a select of its layer.
 *
 * A map layer is {id, kind, source, lineStyle, opacity, order, drawing, onDrawing}: `source` is the data, drawn again
 * when it is another object, `order` is greater the higher it lies among the lines; marks always lie above the lines,
 * and error lines of events below them.
 */

import { swatch } from "../../core/swatch.js";
import { el } from "../../core/dom.js";

const OF_ADVERSARY = { colour: "--guess", width: 2.25, dash: "2 3", dots: false, order: 95 }; // above all lines

const DRAW = {
  track: (map, { source, lineStyle, ...layer }) => map.addTrack({ ...lineStyle, ...layer, track: source }),
  people: (map, { source, lineStyle, ...layer }) => map.addPeople({ ...lineStyle, ...layer, track: source }),
  landmarks: (map, { id, source }) => map.addLandmarks({ id, ...source }),
  dummies: (map, { id, source }) => map.addMarkers({ id, track: source, colour: "--accent", radius: 4, hollow: true }),
  errors: (map, { id, source, lineStyle, order }) => map.addErrors({ id, ...source, colour: lineStyle.colour, order }),
  cloud: (map, { id, source }) => map.addCloud({ id, cloud: source }),
  guesses: (map, { id, source }) => map.addGuesses({ id, places: source }),
  guessed: (map, { id, source }) => map.addTrack({ id, track: source, ...OF_ADVERSARY }),
  zones: (map, { id, source }) => map.addZones({ id, zones: source }),
};

/** A map view over `map`, made by createMap. */
export function createMapView(map) {
  const shown = new Map();

  function change(mapLayer) {
    const { id, kind, source, lineStyle, opacity, order, drawing } = mapLayer;
    const known = shown.get(id);
    const isLine = kind === "track" || kind === "people"; // drawn in its order, drawing and opacity
    const isNew = !known || known.kind !== kind || known.source !== source || known.lineStyle !== lineStyle;
    if (isNew) DRAW[kind](map, mapLayer);
    else if (isLine && known.order !== order) map.setOrder(id, order);
    if (!isNew && isLine && known.drawing !== drawing) map.setStyle(id, { drawing });
    if (isNew ? !isLine : known.opacity !== opacity) map.setOpacity(id, opacity);
    shown.set(id, mapLayer);
  }

  return {
    map,
    show(mapLayers) {
      for (const id of [...shown.keys()]) {
        if (mapLayers.some((one) => one.id === id)) continue;
        map.remove(id);
        shown.delete(id);
      }
      mapLayers.forEach(change);
    },
  };
}

/**
 * A select of one of the layers, for `onChange(id)`; `set([{id, title, lineStyle, ready}], id)` fills it, and what is
 * not ready cannot be chosen.
 */
function layerSelect(label, onChange) {
  const select = el("select", { class: "input", "aria-label": label, onchange: () => onChange(select.value) });
  const mark = el("span", { class: "pane__mark" });
  /** @type {[string, any[]]} */
  let [known, choices] = ["", []];
  const chosen = () => choices.find(({ id }) => id === select.value);
  return {
    element: el("span", { class: "pane__choice box" }, mark, select),
    title: () => chosen()?.title ?? "",
    set(wanted, id) {
      choices = wanted;
      const key = JSON.stringify(wanted.map((layer) => [layer.id, layer.title, layer.ready]));
      const option = (layer) => el("option", { value: layer.id, disabled: !layer.ready }, layer.title);
      if (key !== known) select.replaceChildren(...wanted.map(option));
      known = key;
      select.value = id;
      mark.replaceChildren(...(chosen() ? [swatch(chosen()?.lineStyle)] : []));
    },
  };
}

const STEPS = {
  ...{ ArrowLeft: -2, ArrowDown: -2, ArrowRight: 2, ArrowUp: 2 },
  ...{ PageDown: -10, PageUp: 10, Home: -100, End: 100 },
};

/** Divider and selects in `host`, over the map. `on.move(percent)`, `on.choose("left" | "right", id)`. */
export function createSwipe(host, on) {
  const separator = { class: "swipe__line", role: "separator", tabindex: "0", "aria-orientation": "vertical" };
  const range = { "aria-label": "Divider", "aria-valuemin": "0", "aria-valuemax": "100" };
  const line = el("div", { ...separator, ...range }, el("span", { class: "swipe__knob" }));
  const left = layerSelect("Left of the divider", (id) => on.choose("left", id));
  const right = layerSelect("Right of the divider", (id) => on.choose("right", id));
  const sideOf = (select, more = "") => el("div", { class: `swipe__side${more}` }, select.element);
  const sides = [sideOf(left), sideOf(right, " swipe__side--right")];
  const element = el("div", { class: "swipe", hidden: true }, sides, line);
  host.append(element);
  let at = 50;

  function place(percent) {
    at = Math.max(0, Math.min(100, percent));
    line.style.setProperty("left", `${at}%`);
    line.setAttribute("aria-valuenow", String(Math.round(at)));
    line.setAttribute("aria-valuetext", `${Math.round(at)} % ${left.title()}, then ${right.title()}`);
  }

  function move(percent) {
    place(Math.round(percent * 10) / 10);
    on.move(at);
  }

  /** @type {any} */
  let grip = null; // where the line was taken hold of, beside its middle
  const share = (x) => {
    const box = element.getBoundingClientRect();
    return ((x - box.left) / box.width) * 100;
  };
  line.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    grip = share(event.clientX) - at;
    line.setPointerCapture(event.pointerId);
  });
  line.addEventListener("pointermove", (event) => grip !== null && move(share(event.clientX) - grip));
  for (const end of ["pointerup", "pointercancel"]) line.addEventListener(end, () => (grip = null));
  line.addEventListener("dblclick", () => move(50));
  line.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    move(at + step);
  });

  return {
    /** Show it with `choices` [{id, title, ready}]; the sides are ids. */
    show({ choices, sides, split }) {
      left.set(choices, sides[0]);
      right.set(choices, sides[1]);
      place(split);
      element.hidden = false;
    },
    hide: () => (element.hidden = true),
  };
}

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
