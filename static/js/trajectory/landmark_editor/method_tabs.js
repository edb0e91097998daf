/* How landmarks are marked: one tab for each registered way, its fields below. */

import { el } from "../../core/dom.js";
import { createFields } from "../../components/form_fields.js";
import { controls } from "./schedule_fields.js";

/** Parameters that are not typed but made on the map: a way with `events` is edited by hand, one with `zones` drawn. */
const DRAWN = ["events", "zones"];
const NEEDS = { time: "times", "landmark column": "a landmark column" };
const has = (method, parameter) => method.fields.some(({ name }) => name === parameter);

/**
 * Tabs in `host` for `methods`; `offered` are the things the dataset has of those that methods need. `on.change(field)`
 * after a field changed, `on.choose(name)` when another tab is pressed.
 * Returns {first, manual, zones: names of ways, choose(name), isPossible(name), values(), set(values), describe(drawn),
 * fail(errors), clear(), panel(name, element), cover(release), released: name of the way by a release}; values are
 * those of the way that is chosen, by field.
 */
export function createMethods(host, listed, { offered, on }) {
  const methods = listed.filter((method) => !has(method, "release")); // chosen beside the zones
  const released = listed.find((method) => has(method, "release"));
  const tabs = new Map();
  /** @type {any} */
  let chosen = null;
  const bar = el("div", { class: "segmented segmented--wrap", role: "group", "aria-label": "Method" });
  const summary = el("p", { class: "small muted" });
  const coverage = el("p", { class: "small", dataset: { coverage: "" } });
  const body = el("div", { class: "stack", dataset: { fields: "" } });

  for (const method of methods) {
    const lacks = (method.needs ?? []).filter((need) => !offered.has(need));
    const possible = !lacks.length;
    const form = el("div", { class: "stack" });
    const fields = createFields(
      form,
      method.fields.filter(({ name }) => !DRAWN.includes(name)),
      { onChange: on.change, controls },
    );
    if (has(method, "seed")) form.append(again(fields, on.change));
    const button = el(
      "button",
      { type: "button", disabled: !possible, "aria-pressed": "false", dataset: { method: method.name } },
      method.title,
    );
    button.addEventListener("click", () => on.choose(method.name));
    bar.append(button);
    tabs.set(method.name, { method, fields, button, form, possible, lacks });
  }
  const missing = [...tabs.values()].filter(({ possible }) => !possible);
  const reasons = missing.map(
    ({ method, lacks }) => `“${method.title}” needs ${lacks.map((need) => NEEDS[need] ?? need).join(" and ")}`,
  );
  const why = missing.length
    ? el("p", { class: "small muted", dataset: { why: "" } }, `${reasons.join(", ")}; this dataset has none.`)
    : null;
  host.replaceChildren(bar, summary, coverage, body, ...[why].filter(Boolean));

  function choose(name) {
    chosen = tabs.get(name);
    for (const tab of tabs.values()) tab.button.setAttribute("aria-pressed", String(tab === chosen));
    summary.textContent = chosen.method.summary;
    cover(null);
    if (body.firstChild !== chosen.form) body.replaceChildren(chosen.form); // put in again it would lose the focus
  }

  /** What the guarantee covers with the method chosen, or of the same zones on the positions of a `release`. */
  function cover(release) {
    coverage.textContent = (release ? released : chosen.method).coverage;
  }

  const withParameter = (parameter) =>
    [...tabs.values()].find(({ method }) => has(method, parameter))?.method.name ?? null;
  const [manual, zones] = DRAWN.map(withParameter);
  const first =
    [...tabs.values()].find(({ possible, method }) => possible && !DRAWN.some((one) => has(method, one)))?.method
      .name ?? manual;
  choose(first);
  return {
    first,
    manual,
    zones,
    choose,
    isPossible: (name) => tabs.get(name)?.possible ?? false,
    values: () => chosen.fields.all(),
    set: (values) => chosen.fields.set(values),
    cover,
    released: released?.name,
    describe: (drawn = {}) => ({ name: chosen.method.name, ...chosen.fields.values(), ...drawn }),
    fail: (errors) => chosen.fields.fail(errors),
    clear: () => chosen.fields.clear(),
    panel: (name, element) => tabs.get(name)?.form.prepend(element),
  };
}

/** What a seed is for: another draw, and back to this one. */
function again(fields, onChange) {
  const draw = () => {
    fields.set({ seed: (fields.values().seed ?? 0) + 1 });
    onChange("seed draw"); // every draw is a step
  };
  return el("div", {}, el("button", { type: "button", class: "button button--small", onclick: draw }, "Sample again"));
}
