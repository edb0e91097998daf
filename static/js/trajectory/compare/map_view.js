/* One map of the comparison: shows a list of map layers and changes only what differs from the list before.
 *
 * A map layer is {id, kind, source, lineStyle, opacity, order, drawing, onDrawing}: `source` is the data, drawn again
 * when it is another object, `order` is greater the higher it lies among the lines; marks always lie above the lines,
 * and error lines of events below them.
 */

const OF_ADVERSARY = { colour: "--guess", width: 2.25, dash: "2 3", dots: false, order: 95 }; // above all lines

const DRAW = {
  track: (map, { id, source, lineStyle, opacity, order, drawing, onDrawing }) =>
    map.addTrack({ id, track: source, ...lineStyle, opacity, order, drawing, onDrawing }),
  people: (map, { id, source, lineStyle, opacity, order, drawing, onDrawing }) =>
    map.addPeople({ id, track: source, ...lineStyle, opacity, order, drawing, onDrawing }),
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
    const isLine = kind === "track" || kind === "people";
    const changed = !known || known.kind !== kind || known.source !== source || known.lineStyle !== lineStyle;
    if (changed) DRAW[kind](map, mapLayer);
    if (isLine && known && !changed && known.order !== order) map.setOrder(id, order);
    if (isLine && known && !changed && known.drawing !== drawing) map.setStyle(id, { drawing });
    if (isLine ? known && !changed && known.opacity !== opacity : changed || known.opacity !== opacity)
      map.setOpacity(id, opacity);
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
