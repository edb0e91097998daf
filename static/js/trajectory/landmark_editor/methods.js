/* How landmarks are marked: one tab for each registered way, its fields below; what zones are applied to, positions of
 * the upload or those of an earlier release; and what a method would mark, requested from the server: only the last
 * request counts.
 */

import { createFields } from "../../components/form_fields.js";
import { post } from "../../core/api.js";
import { el } from "../../core/dom.js";
import { labelled, selectOf, smallButton } from "../../core/elements.js";
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
    const typed = method.fields.filter(({ name }) => !DRAWN.includes(name));
    const fields = createFields(form, typed, { onChange: on.change, controls });
    if (has(method, "seed")) form.append(again(fields, on.change));
    const named = { type: "button", dataset: { method: method.name }, onclick: () => on.choose(method.name) };
    const button = el("button", { ...named, disabled: !possible, "aria-pressed": "false" }, method.title);
    bar.append(button);
    tabs.set(method.name, { method, fields, button, form, possible, lacks });
  }
  const missing = [...tabs.values()].filter(({ possible }) => !possible);
  const reasons = missing.map(
    ({ method, lacks }) => `“${method.title}” needs ${lacks.map((need) => NEEDS[need] ?? need).join(" and ")}`,
  );
  host.replaceChildren(bar, summary, coverage, body);
  if (missing.length)
    host.append(
      el("p", { class: "small muted", dataset: { why: "" } }, `${reasons.join(", ")}; this dataset has none.`),
    );

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
  return el("div", {}, smallButton("Sample again", null, draw));
}

const WAIT_MS = 220;

/**
 * `request()` sends a little later, `now()` at once, `stop()` drops what was requested. `describe()` gives the method
 * or null for no request; `on.busy(bool)`, `on.found(answer)`, `on.failed(errors)` receive the results.
 */
export function createPreview({ url, dataset, describe, on }) {
  /** @type {any} */
  let waiting = null;
  let requests = 0;

  function stop() {
    clearTimeout(waiting);
    requests += 1;
    on.busy(false);
  }

  async function now() {
    stop();
    const method = describe();
    if (!method) return;
    const mine = requests;
    on.busy(true);
    try {
      const found = await post(url, { dataset, method });
      if (mine === requests) on.found(found);
    } catch (error) {
      if (mine === requests) on.failed(error.errors ?? [error]);
    } finally {
      if (mine === requests) on.busy(false);
    }
  }

  function request() {
    clearTimeout(waiting);
    requests += 1;
    on.busy(true); // what is shown belongs to an earlier method from here on
    waiting = setTimeout(now, WAIT_MS);
  }

  return { request, now, stop };
}

let ids = 0;

/** A choice of the upload or one of the API's `releases`, for `onChange(id or null)`: {element, set(id or null)}. */
export function createJudged(releases, { onChange }) {
  const id = `judged-${(ids += 1)}`;
  const options = releases.map((one) => [one.id, `Release ${one.name || one.title}, ${one.created_at.slice(0, 10)}`]);
  const described = { id, "aria-describedby": `${id}-help` };
  const select = selectOf(described, [["", "Positions of the upload"], ...options]);
  select.addEventListener("change", () => onChange(select.value || null));
  const none = releases.length ? "" : " There is none yet: make one at event level first.";
  const text =
    "If an earlier release decides the landmarks, promises cover that choice and include what that release spent " +
    `on them.${none}`;
  const help = el("p", { class: "field__help", id: `${id}-help` }, text);
  const element = labelled(select, "Zones apply to", help);
  element.dataset.judged = "";
  return {
    element,
    set(value) {
      const known = [...select.options].some((option) => option.value === (value ?? ""));
      if (!known) select.append(el("option", { value }, `Release ${value.slice(0, 8)}`)); // discarded since
      select.value = value ?? "";
    },
  };
}
