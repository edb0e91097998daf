/* One map of the comparison: shows a list of pictures and changes only what differs from the list before.
 *
 * A picture is {id, kind, source, ink, opacity, order}: `source` is what is drawn and drawn anew when it is another
 * object, `order` is greater the higher it lies among the lines; marks always lie above the lines, and error
 * lines of events below them.
 */

const OF_ADVERSARY = { colour: "--guess", width: 2.25, dash: "dot", dots: false, order: 95 }; // above all lines

const DRAW = {
  track: (map, { id, source, ink, opacity, order }) => map.addTrack({ id, track: source, ...ink, opacity, order }),
  landmarks: (map, { id, source }) => map.addLandmarks({ id, ...source }),
  dummies: (map, { id, source }) => map.addMarkers({ id, track: source, colour: "--accent", radius: 4, hollow: true }),
  errors: (map, { id, source, ink, order }) => map.addErrors({ id, ...source, colour: ink.colour, order }),
  guesses: (map, { id, source }) => map.addGuesses({ id, places: source }),
  guessed: (map, { id, source }) => map.addTrack({ id, track: source, ...OF_ADVERSARY }),
  zones: (map, { id, source }) => map.addZones({ id, zones: source }),
};

/** A sheet over `map`, made by createMap. */
export function createSheet(map) {
  const shown = new Map();

  function change(picture) {
    const { id, kind, source, ink, opacity, order } = picture;
    const known = shown.get(id);
    const anew = !known || known.source !== source || known.ink !== ink;
    if (anew) DRAW[kind](map, picture);
    if (kind === "track" && known && !anew && known.order !== order) map.setOrder(id, order);
    if (kind === "track" ? known && !anew && known.opacity !== opacity : anew || known.opacity !== opacity)
      map.setOpacity(id, opacity);
    shown.set(id, picture);
  }

  return {
    map,
    show(pictures) {
      for (const id of [...shown.keys()]) {
        if (pictures.some((one) => one.id === id)) continue;
        map.remove(id);
        shown.delete(id);
      }
      pictures.forEach(change);
    },
  };
}
