/* The scale bar and the note that stands where other maps name their tiles. */

const NOTE = "No base map: nobody learns where you look.";

/** 2 km, 500 m, 5 cm. */
export function lengthText(metres) {
  if (metres >= 1000) return `${(metres / 1000).toLocaleString("en")} km`;
  return metres >= 1 ? `${metres} m` : `${Math.round(metres * 100)} cm`;
}

/** The largest 1, 2 or 5 times a power of ten that is at most `metres`. */
export function roundLength(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return power * [5, 2, 1].find((step) => step * power <= metres);
}

/** Put a scale bar into the lower right corner of a Leaflet map. */
export function addScale(map) {
  const box = document.createElement("div");
  const bar = document.createElement("div");
  const text = document.createElement("div");
  box.className = "map-scale";
  bar.className = "map-scale__bar";
  box.append(text, bar);
  const update = () => {
    const size = map.getSize();
    const [y, x] = [size.y / 2, Math.max(0, size.x / 2 - 60)];
    const metres = map.distance(map.containerPointToLatLng([x, y]), map.containerPointToLatLng([x + 120, y]));
    if (!(metres > 0)) return;
    const length = roundLength(metres);
    text.textContent = lengthText(length);
    bar.style.width = `${(120 * length) / metres}px`;
  };
  map.on("move zoomend resize", update);
  map.whenReady(update);
  corner(map, box, "bottomright");
}

/** Put the note into the lower left corner. */
export function addNote(map) {
  const box = document.createElement("div");
  box.className = "map-note";
  box.textContent = NOTE;
  corner(map, box, "bottomleft");
}

function corner(map, box, position) {
  const control = window.L.control({ position });
  control.onAdd = () => box;
  control.addTo(map);
}
