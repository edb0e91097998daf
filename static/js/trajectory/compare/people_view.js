/* All people of a dataset in the comparison: coloured by person, named under the pointer, listed beside the map. */

import { radios } from "../../components/choice_controls.js";
import { $ } from "../../core/dom.js";
import { allText, coloursText, lineWidth, nounOf, peopleOf, runsOfPoints } from "../people.js";
import { createPeopleHover, createPeopleList } from "../people_list.js";
import { ORIGINAL } from "./map_layers.js";

const COLOURED = [
  ["person", "By person"],
  ["release", "By release"],
];

/** What the colours are, above the list: the choice of them, the title and a hint. */
function showHead(bench, series, view, changed) {
  const controls = radios("Colour of the layers", COLOURED, view.byPerson ? "person" : "release", (value) => {
    view.byPerson = value === "person";
    changed();
  });
  $("[data-people-colours]", bench).replaceChildren(controls.element);
  $("[data-people-title]", bench).textContent = allText(series);
  $("[data-people-hint]", bench).textContent = coloursText(series);
}

/**
 * The people of `series` (as the API has them) in `bench`, shown while `view.series` is null. `known()` =
 * {original, layers, map}; `on.choose(index)` after one was chosen, `on.view()` after the colours changed.
 */
export function createPeopleView(bench, { series, view, known, on }) {
  const people = peopleOf(series);
  const colours = people.map(({ colour }) => colour);
  const width = lineWidth(people.length);
  const styles = new WeakMap();
  const isOn = () => view.series === null;
  const { mark, personAt, hover } = createPeopleHover($("[data-panes]", bench), people, ORIGINAL, known);
  const list = createPeopleList($("[data-people-list]", bench), people, {
    noun: nounOf(series),
    choose: on.choose,
    look: (index) => mark(known().map, index),
  });
  showHead(bench, series, view, on.view);

  /** Style of a layer with the colour of each person; the same object for the same style. */
  function styleOf(lineStyle) {
    if (!styles.has(lineStyle)) styles.set(lineStyle, { ...lineStyle, colours, width });
    return styles.get(lineStyle);
  }

  return {
    isOn,
    /** Begin or end, after `view.series` changed. */
    show() {
      bench.toggleAttribute("data-all", isOn());
      if (!isOn()) hover(known().map, null);
      list.set(isOn());
    },
    /** `tracks` (see map_layers.js) in the colours of the people. */
    coloured(tracks) {
      if (!isOn() || !view.byPerson) return tracks;
      const ofPeople = (layer) => layer && { ...layer, kind: "people", lineStyle: styleOf(layer.lineStyle) };
      return tracks.map((track) => ({ ...track, mapLayer: ofPeople(track.mapLayer) }));
    },
    /** Runs of events as runs of points of `track`. */
    place: (track) => (isOn() ? (runs) => runsOfPoints(track, runs) : undefined),
    hover,
    click(map, point) {
      const index = personAt(map, point);
      if (index !== null) on.choose(index);
    },
  };
}
