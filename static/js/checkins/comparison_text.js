/* What a comparison of check-ins shows beside its map: the legend, lists of places, cells and venues, the promise. */

import { $, $$, announce, el } from "../core/dom.js";
import { count, metres, whole } from "../core/format.js";
import { shareText } from "./evaluation.js";
import { get } from "../core/api.js";
import { createTableDialog, numbersMenu } from "../charts/chart_menu.js";
import { cellName } from "./grid_cells.js";

/** @typedef {import("./comparison.js").State} State */

/** @param {State} state @param {number[] | null} densities */
export function drawLegend({ release, grid, model, density, history }, densities) {
  const most = densities ? Math.max(...densities, 0) : 0;
  $("[data-legend=density]").hidden = !densities;
  const published = release.seeded ? "Density, simulated" : "Density, private";
  const what = density === "truth" ? "Check-ins, owner only" : published;
  $("[data-legend-density]").textContent = `${what}: 0 to ${whole(most)}, square root scale`;
  for (const one of $$("[data-boxes-row], [data-legend=boxes]")) one.hidden = !model.boxes.length;
  $("[data-boxes-count]").textContent = count(model.boxes.length, "box");
  $("[data-legend-boxes]").textContent = `Boxes of ${release.title}`;
  $("[data-grid-size]").textContent = `${grid.columns} × ${grid.rows}`;
  const places = count(history.length, "place");
  $("[data-legend-history]").textContent = history.length ? `History, ${places}` : "History, no place yet";
  $("[data-history-count]").textContent = places;
}

/**
 * @param {any} page
 * @param {State} state
 * @param {{name: (cell: number) => string, remove: (index: number) => void, hover: (cell: number) => void,
 *   add: (cell: number) => void}} on
 */
export function drawLists(page, { answer, reference, history, release }, { name, remove, hover, add }) {
  fillPlaces($("[data-places]"), history.map(name), remove);
  for (const button of $$("[data-clear]")) button.disabled = !history.length;
  const found = new Map(reference.recommended.map((one) => [one.cell, one]));
  const beside = (/** @type {number} */ cell) =>
    `#${whole(found.get(cell).rank)} · ${shareText(found.get(cell).share)}`;
  fillRanking($("[data-rows]"), answer.cells, { name, beside, k: page.k, on: { hover, add } });
  const last = history.length ? name(/** @type {number} */ (history.at(-1))) : "";
  $("[data-after]").textContent = last ? `after ${last}` : "without a history";
  const common = reference.recommended.filter(({ rank }) => rank <= page.k).length;
  $("[data-overlap]").textContent =
    `${common} of ${answer.cells.length} are in the non-private top ${page.k}. ` +
    "The non-private answer reads the uploaded check-ins: owner only.";
  const first = answer.cells[0];
  const text = first ? `${name(first.cell)} is first${last ? ` after ${last}` : ""}` : "no cell is recommended";
  announce(`${release.title}: ${text}.`);
}

/** @param {any} page @param {State} state */
export function drawRelease(page, { release }) {
  const texts = {
    "model-title": release.title,
    "model-date": release.date,
    "promise-title": release.promise_title,
    promise: release.promise,
    "losses-note": release.losses_note,
    "grid-facts": release.grid,
    "models-note": simulationsText(page.releases.filter(({ seeded }) => seeded).length),
  };
  for (const [name, text] of Object.entries(texts)) $(`[data-${name}]`).textContent = text;
  const cell = (/** @type {string} */ text) => el("td.number", text);
  const row = ({ protected: what, epsilon, ratio }) =>
    el("tr", el("th", { scope: "row" }, what), cell(epsilon), cell(ratio));
  $("[data-losses]").replaceChildren(...release.losses.map(row));
  fillDownloads($("[data-downloads]"), release);
  $(`[name=model][value="${CSS.escape(release.id)}"]`).checked = true;
}

/** @param {number} simulations */
export function simulationsText(simulations) {
  if (!simulations) return "";
  const are = simulations === 1 ? "is a seeded simulation" : "are seeded simulations";
  return `${count(simulations, "model")} of the list ${are}: no budget, never published.`;
}

/**
 * @typedef {{rank: number, cell: number, west: number, south: number, east: number, north: number,
 *   distance_m: number | null, score: number, share: number | null}} RankedCell
 */

/** A score: its share, or where there is none the score itself. @param {RankedCell} cell */
const scoreText = ({ share, score }) => (share === null ? score.toPrecision(3) : shareText(share));

/**
 * Chips of the history in `list`, each with a button that removes it.
 *
 * @param {HTMLElement} list
 * @param {string[]} names
 * @param {(index: number) => void} remove
 */
function fillPlaces(list, names, remove) {
  const chip = (/** @type {string} */ name, /** @type {number} */ i) =>
    el(
      "li.place",
      el("span.place__number", { "aria-hidden": "true" }, whole(i + 1)),
      name,
      el("button", { "aria-label": `Remove place ${i + 1}, ${name}`, onclick: () => remove(i) }, "×"),
    );
  list.replaceChildren(...names.map(chip));
}

/**
 * The rows of the ranking in `body`. `on.hover(cell)` when the pointer or the focus is on a row, -1 when it leaves;
 * `on.add(cell)` when its button is pressed.
 *
 * @param {HTMLElement} body
 * @param {RankedCell[]} cells
 * @param {{name: (cell: number) => string, beside: (cell: number) => string, k: number,
 *   on: {hover: (cell: number) => void, add: (cell: number) => void}}} options
 */
function fillRanking(body, cells, { name, beside, k, on }) {
  const most = Math.max(...cells.map(({ share }) => share ?? 0), 0);
  const row = (/** @type {RankedCell} */ one) => {
    const { rank, cell, distance_m: away, share } = one;
    const add = { class: "bare ranking__cell", "aria-label": `${name(cell)}, add to the history` };
    const bar = el("span.ranking__bar", { style: { "--share": String(most > 0 ? (share ?? 0) / most : 0) } });
    return el(
      "tr",
      {
        dataset: { cell: String(cell) },
        onmouseenter: () => on.hover(cell),
        onmouseleave: () => on.hover(-1),
        onfocusin: () => on.hover(cell),
        onfocusout: () => on.hover(-1),
      },
      el("td", el("span.ranking__rank", whole(rank))),
      el("th", { scope: "row" }, el("button", { ...add, onclick: () => on.add(cell) }, name(cell))),
      el("td.muted", metres(away)),
      el("td.ranking__score", scoreText(one)),
      el("td", { "aria-hidden": "true" }, bar),
      el("td.number.muted", beside(cell)),
    );
  };
  const empty = Array.from({ length: Math.max(k - cells.length, 0) }, () =>
    el("tr", el("td", { colspan: "6" }, "\u00a0")),
  );
  body.replaceChildren(...cells.map(row), ...empty);
}

/** Mark the row of a cell, -1 none. @param {HTMLElement} body @param {number} cell */
export function markRow(body, cell) {
  for (const row of body.children)
    row.toggleAttribute("data-marked", /** @type {HTMLElement} */ (row).dataset.cell === String(cell));
}

const COUNTING = "checkin-venues";
const SHOWN = 5;

/**
 * The newest release that counts venues in the box of `release`: itself, or another one of the same grid.
 *
 * @param {any[]} releases
 * @param {any} release
 * @param {(release: any) => string} gridOf
 */
export const venuesRelease = (releases, release, gridOf) =>
  [release, ...releases].find((one) => one.mechanism === COUNTING && gridOf(one) === gridOf(release)) ?? null;

/**
 * The list of venues: `show(source, cells, name)` for other recommended cells, `source` null where no release counts
 * venues.
 *
 * @param {{attempt: (action: () => Promise<any>) => Promise<void>}} problem
 */
export function createVenueList(problem) {
  const select = $("[data-venues-cell]");
  let source;

  const load = () =>
    problem.attempt(async () => {
      const query = new URLSearchParams({ cell: select.value, k: String(SHOWN) });
      const { venues } = await get(`${source.urls.venues}?${query}`);
      const row = (one) => el("li", el("span", one.name || one.venue), el("span.muted", count(one.count, "check-in")));
      const none = el("li.muted", "The list has no venue here.");
      $("[data-venues-rows]").replaceChildren(...(venues.length ? venues.map(row) : [none]));
    });

  select.addEventListener("change", load);
  return {
    /** @param {any} from @param {number[]} cells @param {(cell: number) => string} name */
    show(from, cells, name) {
      source = from;
      $("[data-venues]").hidden = !source || !cells.length;
      if (!source || !cells.length) return undefined;
      $("[data-venues-level]").textContent = source.short;
      select.replaceChildren(...cells.map((cell) => el("option", { value: String(cell) }, name(cell))));
      return load();
    },
  };
}

const RANKED = ["rank", "name", "cell", "longitude", "latitude", "distance_m", "score", "share"];
const HEAD = [...RANKED, "non_private_rank", "non_private_share"];

/**
 * Links to the files of a release in `panel`.
 *
 * @param {HTMLElement} panel
 * @param {{title: string, urls: Record<string, string>, formats: {name: string, title: string}[]}} release
 */
function fillDownloads(panel, { title, urls, formats }) {
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
  const dialog = createTableDialog();
  document.body.append(dialog.element);
  const rows = () =>
    state.answer.cells.map(({ rank, cell, lon, lat, distance_m: away, score, share }) => {
      const beside = state.reference.recommended[rank - 1];
      return [rank, cellName(state.grid, cell), cell, lon, lat, away, score, share, beside.rank, beside.share];
    });
  const names = () => state.history.map((/** @type {number} */ one) => cellName(state.grid, one)).join(", ");
  const caption = () => `${title} after ${names() || "no place"}, ${page.name}`;
  host.append(numbersMenu({ title, name: "next-cells", csv: { head: () => HEAD, rows }, caption, dialog }));
}
