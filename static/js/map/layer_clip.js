/* Layers cut along a line across the map, which stays where it is while the map is dragged and zoomed.
 *
 * The cut is the canvas's clip-path, in the canvas's own pixels; a canvas moves with the map, so it is made again
 * whenever a canvas or the map's pane is moved, and in every frame of an animated zoom. Both are watched as the
 * elements they are: who moves them need not know.
 */

/**
 * `set({id: "left" | "right"}, at)` cuts layers at the share `at` of the map's width; `set(null)` heals them. `of(id)`
 * are the shares a layer is seen between, `at()` where the cut is, null without one.
 */
export function createClip(leaflet, element) {
  const { mapPane, overlayPane } = leaflet.getPanes();
  /** @type {any} */
  let cut = null;
  /** @type {any} */
  let frame = null;
  const moved = { attributes: true, attributeFilter: ["style"] };
  const watcher = new MutationObserver(apply);

  function apply() {
    const ground = element.getBoundingClientRect();
    for (const canvas of overlayPane.querySelectorAll("canvas[data-layer]")) {
      const side = cut?.sides[canvas.dataset.layer];
      canvas.style.clipPath = side ? pathOf(canvas, side, ground.left + cut.at * ground.width) : "";
    }
    watcher.takeRecords(); // our own changes
  }

  function follow() {
    apply();
    frame = requestAnimationFrame(follow);
  }

  leaflet.on("zoomanim", () => {
    if (cut) frame ??= requestAnimationFrame(follow);
  });
  leaflet.on("zoomend", () => {
    cancelAnimationFrame(frame);
    frame = null;
  });

  return {
    at: () => cut && cut.at,
    of(id) {
      const side = cut?.sides[id];
      return side === "left" ? [0, cut.at] : side === "right" ? [cut.at, 1] : [0, 1];
    },
    set(sides, at = 0.5) {
      watcher.disconnect();
      cut = sides && { sides, at };
      apply();
      if (!cut) return;
      watcher.observe(mapPane, moved);
      watcher.observe(overlayPane, { ...moved, childList: true, subtree: true });
    },
  };
}

/** The clip-path that leaves one side of a canvas of what lies left or right of `line`, pixels of the window. */
function pathOf(canvas, side, line) {
  const box = canvas.getBoundingClientRect(); // where it is now, even in the middle of a zoom
  if (!box.width) return "";
  const wide = canvas.offsetWidth;
  const x = ((line - box.left) / box.width) * wide;
  return side === "left" ? `inset(0px ${(wide - x).toFixed(2)}px 0px 0px)` : `inset(0px 0px 0px ${x.toFixed(2)}px)`;
}
