/* The modes of the comparison: all layers on one map, two on both sides of a divider, up to four maps side by side. */

import { radios, tick } from "../../components/choice_controls.js";
import { $, el } from "../../core/dom.js";
import { createMap } from "../../map/map.js";
import { errorsId, gridLayers, layersOf, mapsOf, OF_ORIGINAL, ORIGINAL, resizedMaps, sidesOf } from "./map_layers.js";
import { createGrid, createMapView, createSwipe, MOST } from "./map_panes.js";
import { MODES, nameOf } from "./view_state.js";
import { fetchTrack, fetchWithPreview } from "../track.js";

const SELECT_PX = 28; // what the selects cover of a map's top, beside its margin
const narrow = () => matchMedia("(max-width: 720px)").matches;
const LABEL = "Map of the original and its releases";

/**
 * Maps in `host` and their controls in `rail`, as in `view` (see view_state.js); `known()` is what saved images state
 * (see map_image.js). `on.view()` after the reader changed it, `on.choose(id)` after a layer was chosen that may be
 * hidden, `on.click(map, point)`, `on.hover(map, at or null)`.
 */
export function createModes(host, rail, { bounds, view, on, known }) {
  const makeMap = mapMaker(bounds, known);
  const ground = $("[data-map]", host);
  const first = { pane: ground.parentElement, mapView: createMapView(makeMap(ground, LABEL)) };
  const grid = createGrid(host, first, makeMap, { choose: (index, id) => chooseMap(index, id), made: listenOn(on) });
  const swipe = createSwipe(first.pane, {
    move(percent) {
      view.split = percent;
      cut();
      on.view({ drawn: true });
    },
    choose(side, id) {
      view[side] = nameOf(id);
      on.choose(id);
    },
  });
  let [tracks, marks] = [[], []]; // from the top, see tracksOf in map_layers.js

  const controls = createControls(rail, view, { set, count: showOn });

  function set(changes) {
    Object.assign(view, changes);
    on.view({});
  }

  /** Show layers on so many maps, those that were hidden too. */
  function showOn(n) {
    const maps = resizedMaps(tracks, shownMaps(), n);
    set({ maps });
    for (const { id, mapLayer } of tracks) if (!mapLayer && maps.includes(nameOf(id))) on.choose(id);
  }

  const sides = () => sidesOf(tracks, view);
  const shownMaps = () => mapsOf(tracks, view, narrow() ? 2 : MOST);

  function chooseMap(index, id) {
    view.maps = shownMaps().map((one, i) => nameOf(i === index ? id : one.id));
    on.choose(id);
  }

  const cut = () => cutMap(first.mapView.map, sides(), view);

  function draw() {
    const choices = tracks.map(({ id, title, lineStyle, ready }) => ({ id, title, lineStyle, ready }));
    host.dataset.mode = view.mode;
    first.mapView.map.cover(view.mode === "overlay" ? 0 : SELECT_PX);
    controls.show();
    if (view.mode === "swipe") swipe.show({ choices, sides: sides().map(({ id }) => id), split: view.split });
    else swipe.hide();
    if (view.mode === "grid") {
      const chosen = shownMaps();
      controls.setCount(chosen.length);
      const ids = chosen.map(({ id }) => id);
      grid.show(ids, choices);
      grid.mapViews().forEach((mapView, i) => mapView.show([...gridLayers(chosen[i], tracks, view), ...marks]));
    } else {
      grid.show([]);
      first.mapView.show([...layersOf(view.mode === "swipe" ? [...new Set(sides())] : tracks), ...marks]);
    }
    cut();
  }

  return {
    map: first.mapView.map,
    /** Show `tracks` and `marks` (map layers of what lies above the lines). */
    show(what) {
      ({ tracks, marks } = what);
      draw();
    },
    /** Select on every map what `make(ids)` gives of the layers that map shows, and bring it into sight. */
    select(make) {
      const ids = (list) => list.filter(({ mapLayer }) => mapLayer).map(({ id }) => id);
      if (view.mode === "grid") shownMaps().forEach((track, i) => grid.mapViews()[i]?.map.select(make(ids([track]))));
      else first.mapView.map.select(make(ids(view.mode === "swipe" ? sides() : tracks)));
    },
    /** The original of `n` events behind `url`; the first map shows an image of a large one while it comes. */
    fetchOriginal: (url, n) => fetchOriginal(first.mapView.map, view, url, n),
    /** Note that every k-th event in sight has an error line. */
    showStride: controls.showStride,
    /** Bring [west, south, east, north] into sight. */
    fit: (box) => first.mapView.map.fit(box),
    reveal: (lon, lat) => first.mapView.map.reveal(lon, lat),
    /** Draw a layer again at once on all maps. */
    drawNow: (id) => grid.mapViews().forEach(({ map }) => map.drawNow(id)),
  };
}

/** Makes maps whose images state what is `known()`. */
function mapMaker(bounds, known) {
  const describe = async () => (await import("./map_image.js")).imageOf(known());
  return (element, label) => createMap(element, { bounds, label, keyboard: false, counted: true, describe });
}

const listenOn =
  (on) =>
  ({ map }) => {
    map.onClick(({ point }) => on.click(map, point));
    map.onHover((at) => on.hover(map, at));
  };

/** The controls in `rail`: number of maps, the original below, error lines; the mode, where it is wide above. */
function createControls(rail, view, { set, count }) {
  const mode = radios("Compare", MODES, view.mode, (value) => set({ mode: value }));
  const counts = [2, 3, 4].map((n) => [String(n), `${n} maps`]);
  const maps = radios("Maps", counts, "", (n) => count(Number(n)));
  const faint = tick("Original in the background", view.faint, (checked) => set({ faint: checked }));
  const more = el("div", { class: "modes__more stack gap-1" }, maps.element, faint.element);
  const errors = tick("Error lines, event to release", view.lines, (checked) => set({ lines: checked }));
  const every = el("span", { class: "small muted", dataset: { every: "" } });
  const wide = matchMedia("(min-width: 1101px)");
  const place = () => (wide.matches ? $("[data-mode-choice]") : rail).prepend(mode.element);
  wide.addEventListener("change", place);
  rail.replaceChildren(more, el("div", { class: "modes__errors" }, errors.element, every));
  place();
  return {
    show() {
      if (!view.lines) every.textContent = "";
      more.hidden = view.mode !== "grid";
    },
    setCount: (n) => maps.set(String(n)),
    showStride(k) {
      const text = k > 1 ? `of every ${k}${{ 2: "nd", 3: "rd" }[k] ?? "th"} visible event` : "";
      if (every.textContent !== text) every.textContent = text;
    },
  };
}

/** Cut the layers of both sides at the divider; heal them in other modes. */
export function cutMap(map, /** @type {any[]} */ [left, right], { mode, split }) {
  const side = ({ id }, name) => ({ [id]: name, [errorsId(id)]: name });
  const isCut = mode === "swipe" && left !== right;
  map.clip(isCut ? { ...side(left, "left"), ...side(right, "right") } : null, split / 100);
}

function fetchOriginal(map, { range, hidden }, url, n) {
  if (range || hidden.has(ORIGINAL)) return fetchTrack(url);
  return fetchWithPreview(map, url, n, { id: ORIGINAL, ...OF_ORIGINAL });
}
