/* What an experiment is run on: generated data, of which each variant is a curve, or a dataset. */

import { el } from "../../core/dom.js";
import { errorPlace, selectOf, showText } from "../../core/elements.js";
import { createVariants } from "./variant_cards.js";
import { whole } from "../../core/format.js";

/**
 * The choice in `host`. `page` = {datasets, urls, item}; `generators` as the API lists them; `onSource(dataset)` when
 * the dataset changes, null for none.
 * Returns {values() -> {dataset, preset} to send, chosen() -> {dataset, data} or null, rows() of generated data without
 * their values, dataset(), set({dataset, data}), fail(at, name, text), clear()}.
 *
 * @param {HTMLElement} host
 * @param {any} page
 * @param {any[]} generators
 * @param {{onChange: () => void, onSource: (dataset: any) => void}} on
 */
export function createData(host, page, generators, { onChange, onSource }) {
  const radio = (value) => el("input", { type: "radio", name: "data", value, onchange: changed });
  const [made, own] = [radio("generated"), radio("dataset")];
  const { select, element: choose } = ownDataset(page, page.items, changed);
  const error = errorPlace();
  const [cards, rows] = [el("div.tiles.tiles--wide"), el("div.stack.rows")];
  const variants = createVariants({ cards, rows }, generators, { name: "generator", onChange });
  const generated = el("div.stack", cards, rows);
  own.disabled = page.datasets.length === 0;
  const sources = [
    dataCard(made, "Generated data", "By the public parameters below. Each variant is one value of an axis."),
    dataCard(own, "A dataset", "Read here by simulations only; nothing of it is published.", choose),
  ];
  host.append(el("div.tiles.tiles--wide", sources), generated, error);

  const dataset = () => (own.checked ? (page.datasets.find(({ id }) => id === select.value) ?? null) : null);
  function show() {
    generated.hidden = own.checked;
    error.hidden = true;
    [made, own].forEach((input, i) => sources[i].classList.toggle("purpose__one--on", input.checked));
  }
  function changed(/** @type {Event} */ event) {
    if (event.target === select) own.checked = true;
    show();
    onSource(dataset());
    onChange();
  }
  const fail = (text) => showText(error, text);

  return {
    dataset,
    rows: variants.names,
    values: () => ({ dataset: dataset()?.id ?? null, preset: null }),
    chosen() {
      if (own.checked) return { dataset: select.value, data: null };
      const data = variants.rows().map((row) => row.values());
      if (!data.length) fail("Select at least one.");
      return !data.length || data.includes(null) ? null : { dataset: null, data };
    },
    /** @param {{dataset: string | null, data: any[] | null}} given */
    set({ dataset: id, data }) {
      [made.checked, own.checked] = [!id, Boolean(id)];
      if (id) select.value = id;
      if (data) variants.set(data);
      show();
    },
    /** @param {number | null} at @param {string} name @param {string} text */
    fail(at, name, text) {
      if (at === null || !variants.fail(at, name, text)) fail(text);
    },
    clear() {
      variants.clear();
      fail("");
    },
  };
}

/**
 * A card with the radio button `input`, what it chooses, and further fields below.
 *
 * @param {HTMLInputElement} input
 * @param {string} title
 * @param {string} description
 * @param {Node | null} [more]
 */
export const dataCard = (input, title, description, more = null) =>
  el(
    "div.purpose__one.stack.gap-1.box",
    el("label.purpose__name.line.strong", input, title),
    el("p.small.muted", description),
    more,
  );

/**
 * The choice of one of the owner's datasets, with `more` beside it; where there is none, a link to upload one.
 * `items` is what they are counted in.
 */
export function ownDataset({ datasets, urls }, items, onchange, ...more) {
  const options = datasets.map(({ id, name, points }) => [id, `${name} · ${whole(points)} ${items}`]);
  const select = selectOf({ name: "own-dataset", "aria-label": "Dataset", onchange }, options);
  const element = datasets.length
    ? el("div.data__own.stack.gap-2", select, more)
    : el("p.small.data__own.stack.gap-2", el("a", { href: urls.upload }, "Upload a file"), " to choose it here.");
  return { select, element };
}
