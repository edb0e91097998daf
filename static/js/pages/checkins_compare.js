/* Released popularity of the cells of a grid: on the map, and in a table beside the uploaded counts. */

import { get } from "../core/api.js";
import { $, announce, data, el } from "../core/dom.js";
import { createCellsMap, fillCells } from "../checkins/cells.js";
import { createProblemBox } from "../components/problem_box.js";
import { watchReleases } from "../components/release_list.js";

const { releases } = data("page-data");

async function start() {
  const select = $("[data-release]");
  const map = createCellsMap($("[data-map]"), "Map of the released cells");
  const problem = createProblemBox($("[data-problem]"));
  const requested = new URLSearchParams(location.search).get("release");
  const option = (/** @type {any} */ { id, title, level }) =>
    el("option", { value: id, selected: id === requested }, `${title}, ${level}`);
  select.replaceChildren(...releases.map(option));

  const show = () =>
    problem.attempt(async () => {
      const release = releases.find((/** @type {any} */ one) => one.id === select.value);
      const { cells, of } = await get(`${release.url}?k=50`);
      map.show(cells);
      fillCells($("[data-cells-rows]"), cells, { columns: ["count", "uploaded"], hover: map.select });
      $("[data-of]").textContent = `The first ${cells.length} of ${of} cells.`;
      announce(`${release.title} is shown.`);
    });

  select.addEventListener("change", show);
  await show();
}

watchReleases();
if (releases.length) await start();
