/* The data of an experiment: a synthetic series, or a dataset of the user, its series as they are or the first
   events of each person. */

import { dataCard, ownDataset } from "../../components/experiment_form/generated_or_dataset.js";
import { createFields } from "../../components/form_fields.js";
import { isGiven } from "../../components/number_field.js";
import { el } from "../../core/dom.js";
import { errorPlace, selectOf, showText } from "../../core/elements.js";
import { whole } from "../../core/format.js";

/**
 * `page` = {generated: [{preset, like, title, description}], datasets, urls}; `events` the field of how many. The
 * body's `dataset`, `preset` and `series` (of a spec) are sent on as they were set, until something here is changed.
 * Returns {values() -> {dataset, preset, series} or null, dataset() -> its id or null, chosen() -> {name, radius_m},
 * time() -> whether it has times, set({dataset, preset, series}, events), fail(name, text), clear()}.
 */
export function createData(host, page, events, { onChange }) {
  const firsts = page.generated.map(({ preset }) => preset);
  const parts = createParts(host, page, events, changed);
  const { kinds, last, cards, select, part, many, fields, error, note } = parts;

  /** @type {any} */
  let given = null; // {body, state}: what was set, and how this looked then
  const chosen = () => kinds.find(({ input }) => input.checked)?.value;
  const own = () => page.datasets.find(({ id }) => id === select.value);
  const state = () => JSON.stringify([chosen(), select.value, part.value, fields.values()]);
  function show() {
    const dataset = chosen() === "dataset";
    kinds.forEach(({ input }, i) => cards[i].classList.toggle("purpose__one--on", input.checked));
    many.classList.toggle("data__events--off", dataset && part.value === "all");
    fields.disable(dataset && part.value === "all");
    showText(note, given?.state === state() ? otherText(given.body, dataset) : "");
  }
  function changed(event) {
    if (event?.target === select || event?.target === part) last.input.checked = true;
    error.hidden = true;
    show();
    onChange();
  }

  function body() {
    const { events: count } = fields.values();
    if (given?.state === state()) return given.body;
    const dataset = chosen() === "dataset" ? select.value : null;
    if (dataset && part.value === "all") return { dataset, preset: null, series: null };
    if (!isGiven(count)) return null;
    const name = dataset ? firsts[0] : chosen();
    const like =
      given?.body.preset && !given.body.dataset && !dataset && given.kind === chosen() ? given.body.preset : { name };
    return { dataset, preset: { ...like, events: count }, series: null };
  }

  return {
    values: body,
    dataset: () => (chosen() === "dataset" ? select.value : null),
    chosen: () => (chosen() === "dataset" && own()) || { name: "synthetic series", radius_m: page.radius_m },
    time: () => chosen() !== "dataset" || (own()?.time ?? true),
    set(
      /** @type {any} */ { dataset, preset = null, series = null },
      count = series?.first_events ?? series?.generated?.events,
    ) {
      const first = series ? series.join === "person" && series.first_events !== null : firsts.includes(preset?.name);
      const like = page.generated.find((one) =>
        series ? one.like === series.generated?.like : one.preset === preset?.name,
      );
      const kind = dataset ? "dataset" : (like?.preset ?? firsts[0]);
      for (const { value, input } of kinds) input.checked = value === kind;
      if (dataset) select.value = dataset;
      part.value = dataset && first ? "first" : "all";
      if (count) fields.set({ events: count });
      given = { body: { dataset, preset, series }, state: state(), kind };
      show();
    },
    fail(name, text) {
      if (name === "events" && !fields.fail([{ field: name, message: text }]).length) return;
      error.textContent = text;
      error.hidden = false;
    },
    clear() {
      fields.clear();
      error.hidden = true;
    },
  };
}

/** What the choices here do not show of the series a spec gives; "" where they show it all. */
export function otherText({ series }, dataset) {
  if (!series || !dataset) return "";
  const { join, first_events: first } = series;
  if (join === "person" && first === null)
    return "As in the spec: the series of each person joined in the order of time, with all events.";
  return join === "none" && first !== null ? `As in the spec: the first ${whole(first)} events of each series.` : "";
}

/** The controls: a card for each generated series and one for a dataset, how many events, notes. */
function createParts(host, page, events, changed) {
  const radio = (value) => el("input", { type: "radio", name: "data", value, onchange: changed });
  const values = [...page.generated.map(({ preset }) => preset), "dataset"];
  const kinds = values.map((value) => ({ value, input: radio(value) }));
  const last = kinds[kinds.length - 1];
  const parts = { all: "All events", first: "The first events of each person, joined" };
  const named = { name: "events-used", "aria-label": "Events used", onchange: changed };
  const part = selectOf(named, Object.entries(parts));
  const { select, element: own } = ownDataset(page, "events", changed, part);
  const many = el("div", { class: "data__events" });
  const help = "How many a synthetic series has, or are taken of a dataset. The paper uses 1,000.";
  const fields = createFields(many, [{ ...events, help }], { onChange: changed });
  const error = errorPlace();
  const note = el("p", { class: "small muted", hidden: true });
  last.input.disabled = page.datasets.length === 0;
  const cards = [
    ...page.generated.map(({ title, description }, i) => dataCard(kinds[i].input, title, description)),
    dataCard(last.input, "A dataset", "Read here by simulations only; nothing of it is published.", own),
  ];
  host.append(el("div", { class: "tiles tiles--wide" }, cards), note, many, error);
  return { kinds, last, cards, select, part, many, fields, error, note };
}
