/* What it is tried on: a generated series, or a dataset of one's own, the whole or its first events. */

import { el, whole } from "../../dom.js";
import { createFields } from "../../fields.js";

/**
 * `page` = {generated: [{preset, title, said}], datasets, urls}; `events` the field of how many. The body's `dataset`
 * and `preset` are sent on as they were set, until something here is changed.
 * Returns {values() -> {dataset, preset} or null, dataset() -> its id or null,
 * time() -> whether it has times, set({dataset, preset}, events), fail(name, words), clear()}.
 */
export function createData(host, page, events, { onChange }) {
  const firsts = page.generated.map(({ preset }) => preset);
  const radio = (value) => el("input", { type: "radio", name: "data", value, onchange: changed });
  const kinds = [...firsts, "dataset"].map((value) => ({ value, input: radio(value) }));
  const select = el("select", { class: "input", "aria-label": "Dataset", onchange: changed }, page.datasets.map(({ id, name, points }) => el("option", { value: id }, `${name} · ${whole(points)} events`)));
  const part = el("select", { class: "input", "aria-label": "Which part of it", onchange: changed }, el("option", { value: "all" }, "All of its events"), el("option", { value: "first" }, "Its first events, as one series"));
  const many = el("div", { class: "data__events" });
  const fields = createFields(many, [{ ...events, help: "How many a generated series has, or are taken of a dataset. The paper uses 1,000." }], { onChange: changed });
  const error = el("p", { class: "field__error", role: "alert", hidden: true });
  const none = page.datasets.length === 0;
  if (none) kinds.at(-1).input.disabled = true;

  const card = ({ input }, title, said, more) => el("div", { class: "purpose__one" }, el("label", { class: "purpose__name" }, input, title), el("p", { class: "small muted" }, said), more);
  const own = none
    ? el("p", { class: "small data__own" }, el("a", { href: page.urls.upload }, "Upload one"), " to choose it here.")
    : el("div", { class: "data__own" }, select, part);
  const cards = [
    ...page.generated.map(({ title, said }, i) => card(kinds[i], title, said)),
    card(kinds.at(-1), "A dataset of yours", "Read here by simulations only; nothing of it is published.", own),
  ];
  host.append(el("div", { class: "data" }, cards), many, error);

  let given = null; // {body, state}: what was set, and how this looked then
  const chosen = () => kinds.find(({ input }) => input.checked).value;
  const state = () => JSON.stringify([chosen(), select.value, part.value, fields.values()]);
  function show() {
    const dataset = chosen() === "dataset";
    kinds.forEach(({ input }, i) => cards[i].classList.toggle("purpose__one--on", input.checked));
    many.classList.toggle("data__events--off", dataset && part.value === "all");
    fields.disable(dataset && part.value === "all");
  }
  function changed(event) {
    if (event?.target === select || event?.target === part) kinds.at(-1).input.checked = true;
    error.hidden = true;
    show();
    onChange();
  }

  function body() {
    const { events: count } = fields.values();
    if (given?.state === state()) return given.body;
    const dataset = chosen() === "dataset" ? select.value : null;
    if (dataset && part.value === "all") return { dataset, preset: null };
    if (count === null) return null;
    const name = dataset ? firsts[0] : chosen();
    const like = given?.body.preset && !given.body.dataset && !dataset && given.kind === chosen() ? given.body.preset : { name };
    return { dataset, preset: { ...like, events: count } };
  }

  return {
    values: body,
    dataset: () => (chosen() === "dataset" ? select.value : null),
    time: () => chosen() !== "dataset" || (page.datasets.find(({ id }) => id === select.value)?.time ?? true),
    set({ dataset, preset }, count) {
      const first = firsts.includes(preset?.name);
      const kind = dataset ? "dataset" : first ? preset.name : firsts[0];
      kinds.find(({ value }) => value === kind).input.checked = true;
      if (dataset) select.value = dataset;
      part.value = dataset && first ? "first" : "all";
      if (count) fields.set({ events: count });
      show();
      given = { body: { dataset, preset }, state: state(), kind };
    },
    fail(name, words) {
      if (name === "events" && !fields.fail([{ field: name, message: words }]).length) return;
      error.textContent = words;
      error.hidden = false;
    },
    clear() {
      fields.clear();
      error.hidden = true;
    },
  };
}
