/* Downloads of a comparison of check-ins: the model of a release, the ranking. */

import { el } from "../core/dom.js";
import { createChartMenu, createTableDialog, saveCsv } from "../charts/chart_menu.js";
import { csvOf, tableOf } from "../stream/numbers.js";
import { cellName } from "./grid_names.js";

const HEAD = ["rank", "name", "cell", "longitude", "latitude", "distance_m", "score", "share"];
const BESIDE = ["non_private_rank", "non_private_share"];

/**
 * Links to the files of a release in `panel`.
 *
 * @param {HTMLElement} panel
 * @param {{title: string, urls: Record<string, string>, formats: {name: string, title: string}[]}} release
 */
export function fillDownloads(panel, { title, urls, formats }) {
  const link = (/** @type {{name: string, title: string}} */ format) =>
    el("a", { href: `${urls.data}?format=${format.name}`, download: true }, `${format.title}, ${title}`);
  const notebook = el("a", { href: urls.notebook, download: true }, `Notebook, ${title}`);
  const report = el("a", { href: urls.report }, `Report, ${title}`);
  const explain = el("a", { href: urls.explain }, `Explain ${title}`);
  const publish = urls.publish ? [el("a", { href: urls.publish }, `Publish ${title} under a link`)] : [];
  panel.replaceChildren(...formats.map(link), notebook, report, explain, ...publish);
}

/**
 * A menu in `host` that saves the ranking of the page's present state.
 *
 * @param {HTMLElement} host
 * @param {{name: string}} page
 * @param {any} state
 */
export function addRankingMenu(host, page, state) {
  const title = "Next cells";
  const menu = createChartMenu(title);
  const dialog = createTableDialog();
  document.body.append(dialog.element);
  const rows = () =>
    state.answer.cells.map((/** @type {any} */ { rank, cell, lon, lat, distance_m: away, score, share }) => {
      const beside = state.reference.recommended[rank - 1];
      return [rank, cellName(state.grid, cell), cell, lon, lat, away, score, share, beside.rank, beside.share];
    });
  const head = [...HEAD, ...BESIDE];
  const save = () => saveCsv(csvOf(head, rows()), "next-cells");
  const names = () => state.history.map((/** @type {number} */ one) => cellName(state.grid, one)).join(", ");
  const of = () => `${title} after ${names() || "no place"}, ${page.name}`;
  menu.add({
    CSV: save,
    "Data table": () => dialog.show({ title: of(), table: tableOf(of(), head, rows()), saveCsv: save }),
  });
  host.append(menu.element);
}
