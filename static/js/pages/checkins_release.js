/* The release form of check-ins: the public grid is chosen on a map. */

import { checkinsKind } from "../checkins/release_form.js";
import { createBoxMap } from "../components/box_map.js";
import { ReleaseForm } from "../components/release_form/release_form.js";
import { $, data } from "../core/dom.js";

const page = data("page-data");
const boxMap = createBoxMap($("main"), {
  areas: page.areas,
  onChange(box) {
    form.level.set(box);
    form.update();
  },
});
const form = new ReleaseForm(checkinsKind(page, boxMap));
form.start();
$("[data-box-from-data]").addEventListener("change", () => form.update());
