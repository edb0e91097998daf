/* All people of a dataset in the comparison: coloured by person, named under the pointer, listed beside the map. */

import { radios } from "../../components/choice_controls.js";
import { $, el } from "../../core/dom.js";
import { whole } from "../../core/format.js";
import { createPeopleList } from "../people_list.js";
import { allText, COLOURS, peopleOf, runsOfPoints, seriesAt, seriesPart } from "../people.js";
import { ORIGINAL } from "./map_layers.js";

const PERSON = "person"; // the layer of the person under the pointer or in focus
const MANY = 50; // people, from whom on their lines are thinner
const HINT = "Each colour is a person; colours repeat after";

/** A name beside the pointer while it is over `panes`. */
function createTag(panes) {
  const tag = el("div", { class: "person-tag", hidden: true, "aria-hidden": "true" });
  panes.append(tag);
  panes.addEventListener("pointermove", ({ clientX, clientY }) => {
    tag.style.left = `${Math.min(clientX + 14, innerWidth - tag.offsetWidth - 8)}px`;
    tag.style.top = `${clientY + 14}px`;
  });
  return tag;
}

/** What the colours are, above the list: the choice of them, the title and a hint. */
function showHead(bench, series, count, view, changed) {
  const controls = radios(
    "Colour of the layers",
    [
      ["person", "By person"],
      ["release", "By release"],
    ],
    view.byPerson ? "person" : "release",
    (value) => {
      view.byPerson = value === "person";
      changed();
    },
  );
  $("[data-people-colours]", bench).replaceChildren(controls.element);
  $("[data-people-title]", bench).textContent = allText(series);
  $("[data-people-hint]", bench).textContent =
    count > COLOURS.length ? `${HINT} ${COLOURS.length} people.` : "Each colour is a person.";
}

/**
 * The people of `series` (as the API has them) in `bench`, shown while `view.series` is null. `known()` =
 * {original, layers, map}; `on.choose(index)` after one was chosen, `on.view()` after the colours changed.
 */
export function createPeopleView(bench, { series, view, known, on }) {
  const people = peopleOf(series);
  const colours = people.map(({ colour }) => colour);
  const width = people.length > MANY ? 1.1 : 1.6;
  const styles = new WeakMap();
  const isOn = () => view.series === null;
  const tag = createTag($("[data-panes]", bench));
  const list = createPeopleList($("[data-people-list]", bench), people, {
    choose: on.choose,
    look: (index) => mark(known().map, index),
  });
  showHead(bench, series, people.length, view, on.view);

  /** Style of a layer with the colour of each person; the same object for the same style. */
  function styleOf(lineStyle) {
    if (!styles.has(lineStyle)) styles.set(lineStyle, { ...lineStyle, colours, width });
    return styles.get(lineStyle);
  }

  /** Emphasise one person on `map`, or with null none. */
  function mark(map, index) {
    const { original } = known();
    map.remove(PERSON);
    if (index === null || !original?.ends) return;
    const { colour } = people[index];
    map.addTrack({ id: PERSON, track: seriesPart(original, index), colour, width: 4, order: 95, dots: false });
  }

  /** Whose line or position a map shows at a point; null for none. */
  function personAt(map, point) {
    const { original, layers } = known();
    const i = map.nearestStep(ORIGINAL, point, 10);
    if (i >= 0) return seriesAt(original, i);
    for (const { id, track } of layers) {
      const j = track ? map.nearest(id, point, 6) : -1;
      if (j >= 0) return seriesAt(track, j);
    }
    return null;
  }

  /** @type {number | null} */
  let hovered = null;
  function hover(map, at) {
    const index = at ? personAt(map, at.point) : null;
    tag.hidden = index === null;
    if (index === hovered) return;
    hovered = index;
    mark(map, index);
    if (index === null) return;
    const { name, points } = people[index];
    tag.textContent = `${name} · ${whole(points)} events`;
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
      return tracks.map((one) => {
        const { mapLayer } = one;
        return mapLayer
          ? { ...one, mapLayer: { ...mapLayer, kind: "people", lineStyle: styleOf(mapLayer.lineStyle) } }
          : one;
      });
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
