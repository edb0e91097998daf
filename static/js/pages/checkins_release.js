/* The release form of check-ins: the public grid is chosen on a map. */

import { checkinsForm } from "../checkins/release_form.js";
import { createBoxMap } from "../components/box_map.js";
import { foldedPreview } from "../components/release_form/folded_preview.js";
import { QuotedForm } from "../components/release_form/quoted_form.js";
import { $, data } from "../core/dom.js";

/** @type {any} */
let level = null;
let changed = () => {};
const boxMap = createBoxMap($("main"), {
  areas: data("page-data").areas,
  onChange(box) {
    level?.set(box);
    changed();
  },
});

foldedPreview($("[data-grid-choice]"));
const form = new QuotedForm(
  checkinsForm({ boxMap, onLevel: (made, onChange) => ([level, changed] = [made, onChange]) }),
);
$("[data-box-from-data]").addEventListener("change", () => form.update());
