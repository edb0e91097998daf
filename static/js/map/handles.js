/* Handles on the map: dragged with the pointer, or focused and moved with the arrow keys. */

const STEP_PX = 2;
const FAR_PX = 20;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Handles of a Leaflet map. `set(list, on)`: list of {id, lon, lat, kind, label}; `on.move(id, lon, lat)` receives a
 * drag, `on.drop(id, lon, lat)` its end and every arrow key, `on.remove(id)` the Delete key, `on.focus(id)` the focus.
 * `near(lon)` brings a longitude to the map's side of the globe. While one is dragged the others only follow.
 */
export function createHandles(leaflet, near) {
  const markers = new Map();
  let listeners = {};
  /** @type {any} */
  let dragged = null;

  function set(list, on) {
    listeners = on;
    const wanted = new Set(list.map(({ id }) => id));
    for (const [id, marker] of dragged ? [] : markers) {
      if (wanted.has(id)) continue;
      marker.remove();
      markers.delete(id);
    }
    for (const handle of list) {
      if (markers.has(handle.id)) update(markers.get(handle.id), handle);
      else if (!dragged) add(handle);
    }
  }

  function update(marker, { id, lon, lat, label }) {
    if (id !== dragged) marker.setLatLng([lat, near(lon)]);
    marker.getElement().setAttribute("aria-label", label);
  }

  function add({ id, lon, lat, kind, label }) {
    const icon = L.divIcon({ className: `map-handle map-handle--${kind}`, iconSize: /** @type {any} */ (null) });
    const zIndexOffset = kind === "corner" ? 500 : 0;
    const marker = L.marker([lat, near(lon)], { icon, draggable: true, keyboard: true, zIndexOffset });
    markers.set(id, marker);
    marker.addTo(leaflet);
    const notify = (name) => listeners[name]?.(id, marker.getLatLng().lng, marker.getLatLng().lat);
    marker.on("dragstart", () => (dragged = id));
    marker.on("drag", () => notify("move"));
    marker.on("dragend", () => {
      dragged = null;
      notify("drop");
    });
    const element = /** @type {HTMLElement} */ (marker.getElement());
    element.dataset.handle = id;
    element.setAttribute("aria-label", label);
    element.addEventListener("focus", () => listeners.focus?.(id));
    element.addEventListener("keydown", (event) => {
      const way = ARROWS[event.key];
      if (way && !event.ctrlKey && !event.metaKey && !event.altKey)
        nudge(marker, way, event.shiftKey ? FAR_PX : STEP_PX, notify);
      else if (event.key === "Delete" || event.key === "Backspace") listeners.remove?.(id);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  function nudge(marker, [dx, dy], px, notify) {
    const from = leaflet.project(marker.getLatLng()); // not rounded: the other coordinate stays as it is
    marker.setLatLng(leaflet.unproject(from.add([dx * px, dy * px])));
    notify("drop");
  }

  return { set, focus: (id) => markers.get(id)?.getElement().focus({ preventScroll: true }) };
}
