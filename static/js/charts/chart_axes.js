/* Where events and values lie in a plot that Plotly has drawn, in pixels. */

/**
 * `now` is what is shown, `scaleOf` where its events lie (see event_scale.js).
 *
 * @param {HTMLElement & Record<string, any>} element
 * @param {() => any} now
 * @param {() => import("./event_scale.js").EventScale} scaleOf
 */
export function createAxes(element, now, scaleOf) {
  const layout = () => element._fullLayout;
  const ready = () => Boolean(now() && layout()?.xaxis && layout().yaxis);
  const inPlot = (/** @type {number} */ clientX) =>
    clientX - element.getBoundingClientRect().left - layout().xaxis._offset;
  return {
    ready,
    /** The first and the last event or value that is shown. */
    ends: () => (now().x ? layout().xaxis.range.map((/** @type {number} */ at) => layout().xaxis.l2d(at)) : now().span),
    /** Of an event, or of a value on a chart of values. @param {number} at */
    xOf(at) {
      const { xaxis } = layout();
      return xaxis._offset + xaxis.d2p(now().x ? at : scaleOf().place(at));
    },
    box: () => ({ top: layout().yaxis._offset, height: layout().yaxis._length }),
    /** @param {{x: number, y: number}} value */
    pointOf({ x, y }) {
      const { xaxis, yaxis } = layout();
      return [xaxis._offset + xaxis.d2p(x), yaxis._offset + yaxis.d2p(y)];
    },
    /** The event under the pointer; null on a chart of values. @param {number} clientX */
    eventAt(clientX) {
      if (!ready() || now().x) return null;
      const event = scaleOf().eventAt(layout().xaxis.p2l(inPlot(clientX)));
      return Math.max(now().span[0], Math.min(now().span[1], event));
    },
    /** The value of a line's point nearest to the pointer; null on a chart of events. @param {number} clientX */
    valueAt(clientX) {
      if (!ready() || !now().x) return null;
      const [pixel, { xaxis }] = [inPlot(clientX), layout()];
      let [nearest, found] = [Infinity, null];
      for (const { x, visible = true } of now().lines) {
        for (const value of visible ? x : []) {
          const away = Math.abs(xaxis.d2p(value) - pixel);
          if (away < nearest) [nearest, found] = [away, value];
        }
      }
      return found;
    },
  };
}
