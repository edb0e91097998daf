/* Steps, one after another: those on offer as cards, those chosen as a list in their order with their parameters. */

import { $, announce, el } from "../core/dom.js";
import { errorPlace, showText, smallButton } from "../core/elements.js";
import { sentenceOf } from "../core/field_errors.js";
import { createFields } from "./form_fields.js";
import { get } from "../core/api.js";

/**
 * Steps of `listed` (the API's) in `hosts` = {chosen: ol, offered: element}. `field` is what the API calls the list;
 * `chip(step)` a label on each, `extend(host, fields, onChange)` may add to its form. `short` offers them in one line
 * instead of as cards. `onChange()` after every change.
 * Returns {values() -> [{name, …}], chosen() -> [step], set(values), fail(errors) -> the others, clear()}.
 */
export function createSteps(hosts, listed, { field, most = 8, short = false, chip, extend = () => {}, onChange }) {
  const at = new RegExp(`^${field}\\.(\\d+)\\b`);
  let chosen = [];
  const make = (step, values = {}) => createStep(step, values, { chip, extend, onChange, move, drop });

  function draw() {
    hosts.chosen.replaceChildren(...chosen.map(({ element }) => element));
    hosts.chosen.hidden = !chosen.length;
    chosen.forEach((one, i) => {
      one.up.disabled = i === 0;
      one.down.disabled = i === chosen.length - 1;
    });
    for (const button of buttons()) button.disabled = chosen.length >= most;
    onChange();
  }

  function add(step) {
    const made = make(step);
    chosen.push(made);
    draw();
    (made.element.querySelector("input[data-number]") ?? made.remove).focus();
    announce(`${step.title} is step ${chosen.length}.`);
  }

  function move(one, by) {
    const i = chosen.indexOf(one);
    chosen.splice(i, 1);
    chosen.splice(i + by, 0, one);
    draw();
    const button = by < 0 ? one.up : one.down;
    (button.disabled ? (by < 0 ? one.down : one.up) : button).focus();
    announce(`${one.step.title} is step ${i + by + 1} of ${chosen.length}.`);
  }

  function drop(one) {
    chosen = chosen.filter((other) => other !== one);
    draw();
    (buttons().find(({ dataset }) => dataset.adds === one.step.name) ?? buttons()[0]).focus();
    announce(`${one.step.title} is removed.`);
  }

  const buttons = () => [...hosts.offered.querySelectorAll("button")];
  hosts.offered.replaceChildren(...(short ? [stepSelect(listed, add)] : listed.map((step) => card(step, chip, add))));
  draw();

  return {
    values: () => chosen.map(({ step, fields }) => ({ name: step.name, ...fields.values() })),
    chosen: () => chosen.map(({ step }) => step),
    set(values) {
      chosen = values.map(({ name, ...own }) =>
        make(
          listed.find((step) => step.name === name),
          own,
        ),
      );
      draw();
    },
    fail(errors) {
      return errors.filter((error) => {
        const one = chosen[Number(at.exec(error.field ?? "")?.[1] ?? -1)];
        for (const rest of one ? one.fields.fail([error]) : []) showText(one.error, sentenceOf(rest));
        return !one;
      });
    },
    clear() {
      chosen.forEach(({ fields, error }) => {
        fields.clear();
        error.hidden = true;
      });
    },
  };
}

/** A chosen step with its fields and buttons. */
function createStep(step, values, { chip, extend, onChange, move, drop }) {
  const host = el("div.step__fields.stack.unless-empty");
  const fields = createFields(host, step.fields, { onChange });
  extend(host, fields, onChange);
  fields.set(values);
  const button = (text, label, onclick) => smallButton(text, `${label} ${step.title}`, onclick);
  const up = button("↑", "Earlier:", () => move(made, -1));
  const down = button("↓", "Later:", () => move(made, 1));
  const remove = button("Remove", "Remove", () => drop(made));
  const error = errorPlace();
  const tools = el("span.step__tools", up, down, remove);
  const head = el("div.step__head.row.gap-2", el("strong", step.title), chip?.(step), tools);
  const attributes = { class: "step stack gap-2 box step--on", dataset: { step: step.name } };
  const element = el("li", attributes, head, el("p", step.summary), host, error);
  const made = { step, fields, up, down, remove, error, element };
  return made;
}

function card(step, chip, add) {
  const plus = smallButton("Add", `Add ${step.title}`, () => add(step), { dataset: { adds: step.name } });
  return el(
    "div.step.stack.gap-2.box",
    el("div.step__head.row.gap-2", el("strong", step.title)),
    el("p.small", step.summary),
    el("div.row.apart", chip?.(step) ?? el("span"), plus),
  );
}

function stepSelect(listed, add) {
  const select = el(
    "select.input",
    { "aria-label": "Step to add" },
    listed.map((step) => el("option", { value: step.name }, step.title)),
  );
  const summaryText = el("p.small.muted");
  const chosen = () => listed.find(({ name }) => name === select.value);
  const showSummary = () => (summaryText.textContent = chosen().summary);
  select.addEventListener("change", showSummary);
  showSummary();
  return el(
    "div.stack.gap-1",
    el("div.steps__line.line", select, el("button.button", { onclick: () => add(chosen()) }, "Add step")),
    summaryText,
  );
}

const READS = { positions: "reads positions", times: "reads times only", nothing: "reads no data" };
const chip = ({ reads }) => el("span.chip", READS[reads]);

/** The steps in `host`, those of `set` chosen; null where the page has no place for them. */
export async function createCleaning(host, set = []) {
  if (!host) return null;
  const { results } = await get(host.dataset.cleaning);
  const hosts = { chosen: $("[data-chosen-steps]", host), offered: $("[data-offered-steps]", host) };
  const steps = createSteps(hosts, results, { field: "cleaning", short: true, chip, onChange: () => {} });
  steps.set(set);
  return steps;
}
