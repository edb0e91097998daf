/* Released popularity of the cells of a grid: on the map, and in a table beside the uploaded counts. */

import { get } from "../core/api.js";
import { $, announce, data, el } from "../core/dom.js";
import { createCellsMap, fillCells } from "../checkins/cells.js";
import { watchDialogs } from "../components/dialogs.js";
import { watchJobActions } from "../components/job_actions.js";
import { swapSoon, watchStates } from "../components/job_status.js";

const { releases } = data("page-data");
const refresh = swapSoon("releases", "header-budget");

async function start() {
  const select = $("[data-release]");
  const map = createCellsMap($("[data-map]"), "Map of the released cells");
  const problem = $("[data-problem]");
  const asked = new URLSearchParams(location.search).get("release");
  const option = (/** @type {any} */ { id, title, level }) =>
    el("option", { value: id, selected: id === asked }, `${title}, ${level}`);
  select.replaceChildren(...releases.map(option));

  async function show() {
    const release = releases.find((/** @type {any} */ one) => one.id === select.value);
    try {
      const { cells, of } = await get(`${release.cells}?k=50`);
      map.show(cells);
      fillCells($("[data-cells-rows]"), cells, { columns: ["count", "uploaded"], hover: map.select });
      $("[data-of]").textContent = `The first ${cells.length} of ${of} cells.`;
      announce(`${release.title} is shown.`);
      problem.hidden = true;
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      problem.hidden = false;
    }
  }

  select.addEventListener("change", show);
  await show();
}

watchStates(refresh, () => location.reload());
watchDialogs(() => location.reload());
watchJobActions(refresh);
if (releases.length) await start();
