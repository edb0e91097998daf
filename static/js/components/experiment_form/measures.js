/* What is measured: checkboxes by what they measure, each with a plain sentence and what it assumes. */

import { el } from "../../core/dom.js";
import { errorPlace, showText } from "../../core/elements.js";
import { createFields } from "../form_fields.js";
import { ordered } from "./value_list.js";
import { ownValues } from "./variant_cards.js";

/** @type {[string, (measure: any) => boolean][]} */
const GROUPS = [
  ["Success of an adversary", ({ assumes }) => assumes?.length > 0],
  ["Privacy loss", ({ unit }) => unit === "ε"],
  ["Error and utility", ({ needs_release }) => needs_release],
  ["Landmarks", () => true],
];
const ORDER = [2, 1, 0, 3]; // as they are shown; each measure is of the first group above that it fits
const UNCORRELATED = "Without a correlation these are the budgets alone. Select one under “Adversary model”.";
let ids = 0;

function entry(measure, { onChange }) {
  const id = `measure-${(ids += 1)}`;
  const box = el("input", { type: "checkbox", name: "measure", value: measure.name, "aria-describedby": `${id}-text` });
  const form = el("div.tiles.tiles--wide.measure__fields");
  const listed = measure.fields ?? [];
  const fields = createFields(form, listed, { onChange });
  const error = errorPlace();
  const lacking = el("p.small.muted", { hidden: true });
  const details = [
    ...(measure.assumes ?? []).map((text) => el("li", text)),
    measure.source && el("li", measure.source),
  ].filter(Boolean);
  const called = measure.assumes?.length ? "Assumptions" : "Source";
  const element = el(
    "div.measure",
    { dataset: { measure: measure.name } },
    el("label.choice", box, el("span", measure.title, measure.unit && el("span.muted", ` · ${measure.unit}`))),
    el(
      "div.measure__text.stack.gap-1",
      el("p.small.muted.unless-empty", { id: `${id}-text` }, measure.summary ?? ""),
      lacking,
      form,
      error,
      details.length > 0 &&
        el(
          "details.small",
          el("summary", { "aria-label": `${called}: ${measure.title}` }, called),
          el("ul.bullets.muted", details),
        ),
    ),
  );
  const show = () => (form.hidden = !box.checked || !listed.length);
  box.addEventListener("change", () => {
    show();
    onChange();
  });
  show();
  return {
    measure,
    element,
    box,
    fields,
    show,
    values() {
      const own = ownValues(fields, listed);
      return own && (Object.keys(own).length ? { name: measure.name, ...own } : measure.name);
    },
    allow(note) {
      const on = !note;
      if (!on && box.checked) [box.checked, box.dataset.again] = [false, "yes"];
      else if (on && box.dataset.again) {
        box.checked = true;
        delete box.dataset.again;
      }
      box.disabled = !on;
      showText(lacking, note);
      show();
    },
    fail(name, note) {
      if (fields.fail([{ field: name, message: note }]).length) showText(error, note);
    },
    clear() {
      fields.clear();
      error.hidden = true;
    },
  };
}

/** What a measure lacks to be one here, as text. */
export function lack({ needs_release, needs_time }, release, time) {
  if (needs_release && !release) return "Choose a mechanism to measure this.";
  return needs_time && !time ? "These data have no times." : "";
}

/**
 * The measures in `host`, `messageHost` below them. Returns {values() or null, set(metrics),
 * allow({release, correlation, time}), fail(at, name, text), clear()}; `allow` turns off what lacks a release or
 * times.
 */
export function createMeasures(host, messageHost, measures, { onChange }) {
  const entries = measures.map((measure) => entry(measure, { onChange: changed }));
  const hint = el("p.small.muted", { hidden: true }, UNCORRELATED);
  const groupOf = ({ measure }) => GROUPS.findIndex(([, fits]) => fits(measure));
  for (const i of ORDER) {
    const own = entries.filter((one) => groupOf(one) === i);
    if (own.length)
      host.append(
        el(
          "section.stack.gap-2",
          { "aria-label": GROUPS[i][0] },
          el("h3", GROUPS[i][0]),
          i === 1 && hint,
          el(
            "div.tiles.tiles--wide",
            own.map(({ element }) => element),
          ),
        ),
      );
  }
  let order = entries;
  const showMessage = (note) => showText(messageHost, note);
  const ticked = () => order.filter(({ box }) => box.checked);
  function changed() {
    showMessage(ticked().length ? "" : "Select at least one.");
    onChange();
  }
  return {
    values() {
      const found = ticked().map((one) => one.values());
      if (!found.length) showMessage("Select at least one.");
      return !found.length || found.includes(null) ? null : found;
    },
    set(metrics) {
      const named = metrics.map((metric) => (typeof metric === "string" ? { name: metric } : metric));
      const chosen = named.map(({ name }) => entries.find(({ measure }) => measure.name === name));
      order = ordered(chosen, entries);
      entries.forEach((one) => {
        one.box.checked = chosen.includes(one);
        delete one.box.dataset.again;
        if (one.box.checked) one.fields.set(named[chosen.indexOf(one)]);
        one.show();
      });
      showMessage("");
    },
    allow({ release, correlation, time }) {
      entries.forEach((one) => one.allow(lack(one.measure, release, time)));
      hint.hidden = correlation || !ticked().some((one) => one.measure.unit === "ε");
    },
    fail(at, name, note) {
      const one = ticked()[at];
      if (one) one.fail(name, note);
      else showMessage(note);
    },
    clear() {
      entries.forEach((one) => one.clear());
      showMessage("");
    },
  };
}
