/* The ways to compare: all layers on one map, two parted by a line, up to four on maps side by side. */

import { $, el } from "../../core/dom.js";
import { fetchWithPreview } from "../track_preview.js";
import { radios, tick } from "../../components/choice_controls.js";
import { createMap } from "../../map/map.js";
import { fetchTrack } from "../track.js";
import { MOST, createGrid } from "./map_grid.js";
import { MODES, nameOf } from "./view_state.js";
import { OF_ORIGINAL, ORIGINAL, errorsId } from "./map_layers.js";
import { createMapView } from "./map_view.js";
import { createSwipe } from "./map_swipe.js";

const FAINT = 0.32; // of the original below a release
const SELECT_PX = 28; // what the selects cover of a map's top, beside its margin
const narrow = () => matchMedia("(max-width: 720px)").matches;
const LABEL = "Map of the original and its releases";

/**
 * Maps in `host` and their controls in `rail`, as `view` says (see view_state.js). `on.view()` after the reader chose another
 * one, `on.choose(id)` after a layer was chosen that may be hidden, `on.click(map, point)`, `on.hover(map, at or null)`.
 */
export function createModes(host, rail, { bounds, view, on }) {
  const makeMap = (element, label) => createMap(element, { bounds, label, keyboard: false });
  const ground = $("[data-map]", host);
  const first = { pane: ground.parentElement, mapView: createMapView(makeMap(ground, LABEL)) };
  const listen = ({ map }) => {
    map.onClick(({ point }) => on.click(map, point));
    map.onHover((at) => on.hover(map, at));
  };
  const grid = createGrid(host, first, makeMap, { choose: (index, id) => chooseMap(index, id), made: listen });
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
  let tracks = []; // from the top: {id, title, ink, ready, error_m, picture: null where there is nothing to draw}
  let marks = [];

  const mode = radios("Compare", MODES, view.mode, (value) => set({ mode: value }));
  const maps = radios(
    "Maps",
    [2, 3, 4].map((n) => [String(n), `${n} maps`]),
    "",
    (n) => set({ maps: resized(Number(n)) }),
  );
  const faint = tick("The original below, faint", view.faint, (checked) => set({ faint: checked }));
  const more = el("div", { class: "modes__more" }, maps.element, faint.element);
  const errors = tick("Error lines, event to release", view.lines, (checked) => set({ lines: checked }));
  const every = el("span", { class: "small muted", dataset: { every: "" } });
  rail.replaceChildren(mode.element, more, el("div", { class: "modes__errors" }, errors.element, every));

  function set(changes) {
    Object.assign(view, changes);
    on.view({});
  }

  const byName = (name) => tracks.find(({ id }) => nameOf(id) === name);
  const ranked = () => {
    const [original, ...rest] = [...tracks].sort((a, b) => (a.owner ? -1 : b.owner ? 1 : a.error_m - b.error_m));
    return [original, ...rest.filter(({ ready }) => ready)];
  };

  /** What lies left and right of the divider: what was chosen, else the original and the best release. */
  function sides() {
    const [original, best] = ranked();
    return [byName(view.left) ?? original, byName(view.right) ?? best ?? original];
  }

  /** What each map shows: what was chosen, else the original and the best releases. */
  function shownMaps() {
    const chosen = view.maps?.map(byName);
    if (chosen?.length > 1 && chosen.every(Boolean)) return chosen;
    const all = ranked();
    return all.length > 1 ? all.slice(0, narrow() ? 2 : MOST) : [all[0], all[0]];
  }

  function resized(n) {
    const now = shownMaps();
    const unused = ranked().filter((one) => !now.includes(one));
    return [...now, ...unused, ...Array(MOST).fill(now[0])].slice(0, n).map(({ id }) => nameOf(id));
  }

  function chooseMap(index, id) {
    view.maps = shownMaps().map((one, i) => nameOf(i === index ? id : one.id));
    on.choose(id);
  }

  function cut() {
    const [left, right] = sides();
    const mapView = first.mapView.map;
    const side = (one, name) => ({ [one.id]: name, [errorsId(one.id)]: name });
    if (view.mode === "swipe" && left !== right)
      mapView.clip({ ...side(left, "left"), ...side(right, "right") }, view.split / 100);
    else mapView.clip(null);
  }

  const drawn = (list) => list.flatMap(({ mapLayer, errors }) => [mapLayer, errors]).filter(Boolean);

  /** The lines on one map of a grid: its layer, above the original if that is wanted. */
  function lines(track) {
    const original = tracks.find(({ owner }) => owner);
    const below =
      view.faint && !track.owner && original.mapLayer ? [{ ...original.mapLayer, opacity: FAINT, order: -1 }] : [];
    return [...drawn([track]), ...below];
  }

  function draw() {
    const choices = tracks.map(({ id, title, lineStyle, ready }) => ({ id, title, lineStyle, ready }));
    host.dataset.mode = view.mode;
    if (!view.lines) every.textContent = "";
    first.mapView.map.cover(view.mode === "overlay" ? 0 : SELECT_PX);
    more.hidden = view.mode !== "grid";
    if (view.mode === "swipe") swipe.show({ choices, sides: sides().map(({ id }) => id), split: view.split });
    else swipe.hide();
    if (view.mode === "grid") {
      const chosen = shownMaps();
      maps.set(String(chosen.length));
      grid.show(
        chosen.map(({ id }) => id),
        choices,
      );
      grid.mapViews().forEach((mapView, i) => mapView.show([...lines(chosen[i]), ...marks]));
    } else {
      grid.show([]);
      first.mapView.show([...drawn(view.mode === "swipe" ? [...new Set(sides())] : tracks), ...marks]);
    }
    cut();
  }

  return {
    /** Show `tracks` and `marks` (pictures of what lies above the lines). */
    show(what) {
      ({ tracks, marks } = what);
      draw();
    },
    /** Select on every map what `make(ids)` says of the layers that map shows, and bring it into sight. */
    select(make) {
      const ids = (list) => list.filter(({ mapLayer }) => mapLayer).map(({ id }) => id);
      if (view.mode === "grid") shownMaps().forEach((track, i) => grid.mapViews()[i]?.map.select(make(ids([track]))));
      else first.mapView.map.select(make(ids(view.mode === "swipe" ? sides() : tracks)));
    },
    /** The original of `n` events behind `url`; the first map shows a picture of a large one while it comes. */
    fetchOriginal: (url, n) =>
      view.range || view.hidden.has(ORIGINAL)
        ? fetchTrack(url)
        : fetchWithPreview(first.mapView.map, url, n, { id: ORIGINAL, ...OF_ORIGINAL }),
    /** Said of error lines: of what is seen every k-th event has one. */
    showStride(k) {
      const text = k > 1 ? `of every ${k}${{ 2: "nd" }[k] ?? "th"} event in sight` : "";
      if (every.textContent !== text) every.textContent = text;
    },
    /** Bring [west, south, east, north] into sight. */
    fit: (box) => first.mapView.map.fit(box),
    reveal: (lon, lat) => first.mapView.map.reveal(lon, lat),
    /** Where the maps look, one after another. */
    cameras: () => grid.mapViews().map(({ map }) => map.camera()),
  };
}
