/* How each release is drawn on the map: what the reader chose, and what was drawn where the map chooses. */

import { classText } from "../../map/density.js";
import { nameOf } from "./view_state.js";

const TEXTS = { line: "line", points: "points", density: "density" };

/** Drawings that `view` holds; `on.view()` after the reader chose one, `on.drawn()` after another one was drawn. */
export function createDrawings(view, on) {
  const drawn = new Map(); // id -> {drawing, classes}: of the last frame
  const chosen = (id) => view.drawings.get(nameOf(id)) ?? "auto";
  return {
    chosen,
    choose(id, drawing) {
      if (drawing === "auto") view.drawings.delete(nameOf(id));
      else view.drawings.set(nameOf(id), drawing);
      on.view();
    },
    /** Note what a frame has drawn of a release. */
    note(id, drawing, classes) {
      const before = drawn.get(id);
      if (before?.drawing === drawing && String(before.classes) === String(classes)) return;
      drawn.set(id, { drawing, classes: [...classes] });
      on.drawn();
    },
    /** What the legend lists of a release: {chosen, drawing, text}. */
    entry(id) {
      const { drawing = "line", classes = [] } = drawn.get(id) ?? {};
      const cells = drawing === "density" && classes.length ? `, events per cell ${classText(classes)}` : "";
      return { chosen: chosen(id), drawing, text: drawing === "line" ? "" : `drawn as ${TEXTS[drawing]}${cells}` };
    },
  };
}
