/* Tools: what a press, a drag and a click on the map do while one is in use. */

const NOT_GROUND = ".leaflet-control, .map-handle, button, input, a";
const STILL_PX = 4;

/**
 * Gestures on a Leaflet map in `element`; `pointer(event)` gives where a Leaflet event is. Returns {use(tool | null)}.
 * A tool is {cursor, press(at), click(at), hover(at), double(at)}, each optional. A press may return
 * {move(at), end(at, moved), cancel()}: then the drag is the tool's and the map stays where it is.
 */
export function createGestures(element, leaflet, pointer) {
  /** @type {any} */
  let tool = null;
  /** @type {any} */
  let drag = null; // { on, from, moved, id }
  let swallow = false; // the click after a drag
  const at = (event) =>
    pointer({
      latlng: leaflet.mouseEventToLatLng(event),
      containerPoint: leaflet.mouseEventToContainerPoint(event),
      originalEvent: event,
    });

  function stop() {
    drag = null;
    leaflet.dragging.enable();
  }

  function down(event) {
    if (drag && event.pointerId !== drag.id) {
      drag.on.cancel?.(); // a second finger: this is a pinch
      stop();
      return;
    }
    swallow = Boolean(event.target.closest(NOT_GROUND)); // a handle that was dragged may be gone when its click comes
    if (event.button || !tool?.press || swallow) return;
    const on = tool.press(at(event));
    if (!on) return;
    drag = { on, from: event, moved: false, id: event.pointerId };
    leaflet.dragging.disable();
    element.setPointerCapture(event.pointerId);
  }

  function move(event) {
    if (event.pointerId !== drag?.id) return;
    drag.moved ||= Math.hypot(event.clientX - drag.from.clientX, event.clientY - drag.from.clientY) > STILL_PX;
    if (drag.moved) drag.on.move?.(at(event));
  }

  function up(event) {
    if (event.pointerId !== drag?.id) return;
    const { on, moved } = drag;
    swallow = moved;
    stop();
    on.end?.(at(event), moved);
  }

  element.addEventListener("pointerdown", down, { capture: true });
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", () => {
    drag?.on.cancel?.();
    if (drag) stop();
  });
  leaflet.on("click", (event) => !swallow && tool?.click?.(pointer(event)));
  leaflet.on("mousemove", (event) => !drag && tool?.hover?.(pointer(event)));
  leaflet.on("dblclick", (event) => tool?.double?.(pointer(event)));

  return {
    use(next) {
      if (drag) {
        drag.on.cancel?.();
        stop();
      }
      tool = next;
      element.dataset.cursor = next?.cursor ?? "";
      leaflet.doubleClickZoom[next?.double ? "disable" : "enable"]();
    },
  };
}
