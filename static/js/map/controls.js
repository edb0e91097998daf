/* The scale bar and buttons in the corners. */

/** 2 km, 500 m, 5 cm. */
export function lengthText(metres) {
  if (metres >= 1000) return `${(metres / 1000).toLocaleString("en")} km`;
  return metres >= 1 ? `${metres} m` : `${Math.round(metres * 100)} cm`;
}

/** The largest 1, 2 or 5 times a power of ten that is at most `metres`. */
export function roundLength(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return power * ([5, 2].find((step) => step * power <= metres) ?? 1);
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

/** Put a button under the zoom's; `paths` are what its icon draws in 16 by 16. */
export function addButton(map, { label, path, onClick }) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "map-button";
  button.title = label;
  button.setAttribute("aria-label", label);
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("viewBox", "0 0 16 16");
  icon.setAttribute("class", "icon");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  icon.append(line);
  button.append(icon);
  L.DomEvent.disableClickPropagation(button);
  button.addEventListener("click", onClick);
  corner(map, button, "topright");
  return button;
}

/** Put an element into a corner of a Leaflet map. */
export function corner(map, box, position) {
  const control = new L.Control({ position });
  control.onAdd = () => box;
  control.addTo(map);
}
