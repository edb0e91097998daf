/* The dialog for an attack on a release: the method and its parameters. */

import { createDialogForm } from "../../components/dialog_form.js";
import { createFields } from "../../components/form_fields.js";
import { withQuery } from "../../core/address.js";
import { get, post } from "../../core/api.js";
import { $, el } from "../../core/dom.js";
import { list } from "../../core/elements.js";
import { number } from "../../core/format.js";
import { addSpeed } from "../speed_field.js";

const STATES = { queued: "Waiting for a worker.", running: "Running.", failed: "Failed.", cancelled: "Cancelled." };

/** Why `method` cannot be tried on `release` of `dataset`; empty if it can. The server checks the same. */
export function refusal(method, release, dataset) {
  if (method.reads_draws && release.postprocess.length)
    return "This attack reads the sampled noise: attack the release that this one was derived from.";
  if (method.needs.includes("time") && !dataset.has_time) return "This attack needs times, and this release has none.";
  if (method.population && dataset.people < 2)
    return "This attack needs the series of several people, and there is one.";
  return "";
}

/** `open(release, title, series)` opens the dialog; `made(attack)` receives the attack, new or an earlier one. */
export function createAttackForm(dialog, { urls, dataset, made }) {
  const [kinds, host, confirm] = ["[data-kinds]", "[data-fields]", "[data-confirm]"].map((part) => $(part, dialog));
  const filledIn = new Map(); // name -> fields as they were filled in
  let methods, release, chosen, sent, series;

  const showErrors = createDialogForm(dialog, {
    clear() {
      sent = filledIn.get(chosen).fields;
      sent.clear();
    },
    fail: (errors) => sent.fail(errors),
    ready: () => true,
    async send() {
      const requested = { name: chosen.name, ...sent.values() };
      const attack = await post(urls.attacks, {
        release: release.id,
        attack: requested,
        series: chosen.population ? null : series,
      });
      dialog.close();
      made(attack);
    },
  });

  async function ready() {
    if (methods) return;
    methods = (await get(urls.attack_methods)).results;
    kinds.append(...methods.map((method) => methodOption(method, () => choose(method))));
  }

  function choose(method) {
    chosen = method;
    method.check();
    if (!filledIn.has(method)) {
      const element = el("div", { class: "attack__fields" });
      const fields = createFields(element, method.fields, { onChange: () => showErrors([]) });
      addSpeed(element, fields, () => showErrors([]));
      filledIn.set(method, { element, fields });
    }
    host.replaceChildren(...(filledIn.get(method).element.children.length ? [filledIn.get(method).element] : []));
    $("[data-assumes]", dialog).replaceChildren(
      el("h3", {}, "Assumed knowledge of the adversary"),
      ...assumptions(method),
    );
    confirm.disabled = false;
    showErrors([]);
  }

  /** List the attacks tried before: the same is never computed twice. */
  async function showEarlier() {
    const box = $("[data-earlier]", dialog);
    box.hidden = true;
    const requested = release;
    const { results } = await get(withQuery(urls.attacks, { release: requested.id }));
    if (requested !== release) return;
    const rows = results.map((attack) =>
      earlierAttack(attack, dataset, () => {
        dialog.close();
        made(attack);
      }),
    );
    box.hidden = !rows.length;
    box.replaceChildren(el("h3", {}, "Earlier attacks"), el("ul", {}, rows));
  }

  return {
    async open(requested, title, index) {
      await ready();
      [release, series] = [requested, index];
      for (const method of methods) method.refuse(refusal(method, requested, dataset));
      const which = dataset.series.length > 1 ? `, ${seriesName(dataset, index)}` : "";
      $("[data-title]", dialog).textContent = `Attack ${title}${which}`;
      const usable = methods.filter((method) => !refusal(method, requested, dataset));
      confirm.disabled = !usable.length;
      if (usable.length) choose(usable.includes(chosen) ? chosen : usable[0]);
      dialog.showModal();
      await showEarlier();
    },
  };
}

/** What the adversary is assumed to know, and the source, as elements. */
export const assumptions = ({ assumes, source }) => [
  list({ class: "attack__assumes" }, assumes),
  el("p", { class: "muted attack__source" }, `Source: ${source}`),
];

/** Its parameters on one line. */
export const parametersOf = ({ parameters }) =>
  parameters.map(({ label, unit, value }) => `${label} ${number(value, 6)}${unit ? `\u202f${unit}` : ""}`).join(" · ");

/** What to call the series of that index. */
export const seriesName = (dataset, index) => dataset.series[index]?.name || `Series ${index + 1}`;

/** The choice of one method: its element; `refuse(reason)` and `check()` are added to the method. */
function methodOption(method, onchange) {
  const input = el("input", { type: "radio", name: "attack", value: method.name, onchange });
  const why = el("span", { class: "small muted" });
  method.refuse = (reason) => {
    input.disabled = Boolean(reason);
    why.textContent = reason || method.summary;
  };
  method.check = () => (input.checked = true);
  return el("label", { class: "attack__kind" }, input, el("span", {}, el("strong", {}, method.title), el("br"), why));
}

/** One attack of earlier as a list item; `show()` shows its result. */
function earlierAttack(attack, dataset, show) {
  const ofSeries = dataset.series.length > 1 && attack.series !== null;
  const which = ofSeries ? `(${seriesName(dataset, attack.series)}) ` : "";
  const text = attack.sentence ?? STATES[attack.state];
  const label = `Show ${attack.method}: ${text}`;
  const parameters = el("span", { class: "muted" }, parametersOf(attack));
  return el(
    "li",
    {},
    el("span", { class: "small" }, el("strong", {}, attack.method), ` ${which}${text}`, el("br"), parameters),
    el("button", { class: "button button--small", type: "button", onclick: show, "aria-label": label }, "Show"),
  );
}
