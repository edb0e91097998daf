/* Which correlation: three standard ones, the reader's own matrices, or an estimate from the dataset. */

import { radios } from "../../components/choice_controls.js";
import { createNumber, refuseInvalid, ruleText, valueOf } from "../../components/number_field.js";
import { ApiError } from "../../core/api.js";
import { $, announce, el } from "../../core/dom.js";
import { errorPlace } from "../../core/elements.js";
import { count, number } from "../../core/format.js";
import { readNumbers } from "../../core/number_text.js";
import { createDistance } from "./distance_field.js";
import { STANDARD } from "./view_state.js";

const CELL_M = { minimum: 0.01 };
const SMOOTHING = { minimum: 0 };
const TEXTS = { weak: "Weak", moderate: "Moderate", strong: "Strong" };

/**
 * The control. `state` is read and changed; `note` is what an estimate discloses. `on.check(changes)` validates them
 * on the server and throws its error; `on.change()` after another correlation was chosen.
 */
export function createCorrelation(state, note, on) {
  const own = el("button", { type: "button", onclick: () => matrixDialog(state, take, on.check) }, "Own…");
  const estimated = el(
    "button",
    { type: "button", onclick: () => estimateDialog(state, note, take, on.check) },
    "Estimated…",
  );
  own.setAttribute("aria-label", "Own matrix…");
  estimated.setAttribute("aria-label", "Estimated from this dataset…");
  /** @type {any[]} */
  const options = Object.entries(TEXTS).map(([value, text]) => [value, text, `s = ${STANDARD[value]}, two states`]);
  const group = radios("Temporal loss when positions are correlated", options, state.corr, (corr) => take({ corr }), {
    shown: true,
    more: [own, estimated],
  });
  const distance = createDistance(state.diameter_m, (diameter_m) => take({ diameter_m }));
  const show = () => {
    group.set(state.corr);
    distance.set(state.diameter_m);
    distance.hide(state.corr === "estimated"); // the distances of cells are known
    own.setAttribute("aria-pressed", String(state.corr === "own"));
    estimated.setAttribute("aria-pressed", String(state.corr === "estimated"));
  };
  function take(changes) {
    Object.assign(state, changes);
    show();
    on.change();
  }
  show();
  return { element: el("div", { class: "stack" }, group.element, distance.element), show };
}

/** A correlation as the server reports it, as text. */
export function correlationText({ kind, s, states, cell_m, smoothing, mismatch, diameter_m }) {
  if (kind === "smoothed") return `Two states at most ${number(diameter_m)} m apart, smoothed by s = ${number(s)}.`;
  if (kind === "given")
    return (
      `Your ${states === 1 ? "matrix" : `matrices of ${count(states, "state")}`}, states at most ` +
      `${number(diameter_m)} m apart.`
    );
  return (
    `Estimated over cells of ${number(Number(cell_m))} m: ${count(states, "state")}, smoothing ` +
    `${number(smoothing)}. Its two directions differ from one stationary chain by ` +
    `${number(mismatch, 1)}.`
  );
}

// Dialogs -----------------------------------------------------------------------

function open(title, content, submit) {
  const error = errorPlace();
  const dialog = el("dialog", { class: "dialog loss__dialog", "aria-labelledby": "loss-dialog-title" });
  const form = el(
    "form",
    { method: "dialog", novalidate: true },
    el("h2", { id: "loss-dialog-title" }, title),
    content,
    error,
    el(
      "div",
      { class: "dialog__actions" },
      el("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel"),
      el("button", { class: "button button--primary" }, "Apply"),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (refuseInvalid(form)) return;
    const button = $("button:not([type=button])", form);
    button.disabled = true;
    error.hidden = true;
    try {
      await submit();
      dialog.close();
    } catch (problem) {
      if (!(problem instanceof ApiError) && !(problem instanceof SyntaxError)) throw problem;
      error.textContent = problem.message;
      error.hidden = false;
      announce(problem.message);
    } finally {
      button.disabled = false;
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
}

function labelled(id, label, input, help, /** @type {Node | null} */ error = null) {
  const text = el("p", { class: "field__help", id: `${id}-help` }, help);
  return el("div", { class: "field" }, el("label", { for: id }, label), input, text, error);
}

function area(id, label, help, value) {
  const input = el("textarea", {
    id,
    rows: "4",
    spellcheck: "false",
    "aria-describedby": `${id}-help`,
    class: "loss__matrix",
  });
  input.value = value;
  return { input, element: labelled(id, label, input, [help]) };
}

/** "0.9 0.1 ⏎ 0.2 0.8", or JSON, as JSON; "" stays "". */
export function matrixText(text, label) {
  if (!text.trim()) return "";
  if (text.trim().startsWith("[")) return text.trim();
  const rows = text
    .trim()
    .split(/\n+/)
    .map((line) => readNumbers(line, { minimum: 0, maximum: 1, required: true, repeated: true }));
  const wrong = rows.findIndex(({ problem }) => problem);
  if (wrong >= 0)
    throw new SyntaxError(`${label}, row ${wrong + 1}: each row is a line of numbers. ${rows[wrong].problem}`);
  return JSON.stringify(rows.map(({ values }) => values));
}

function readable(json) {
  try {
    return json && json !== "reversal"
      ? JSON.parse(json)
          .map((row) => row.join(" "))
          .join("\n")
      : "";
  } catch {
    return json;
  }
}

function matrixDialog(state, take, check) {
  const given = Boolean(state.forward || state.backward);
  const forward = area(
    "loss-forward",
    "Forward: Pr(next | present)",
    "A line for each present state, a number for each next one; each line sums to 1.",
    readable(state.forward) || (given ? "" : "0.9 0.1\n0.2 0.8"),
  );
  const backward = area(
    "loss-backward",
    "Backward: Pr(previous | present)",
    "Empty: no correlation in this direction.",
    readable(state.backward),
  );
  const reversal = el("input", { type: "checkbox", checked: !given || state.backward === "reversal" });
  const follow = () => (backward.element.hidden = reversal.checked);
  reversal.addEventListener("change", follow);
  follow();
  const content = el(
    "div",
    { class: "stack" },
    el(
      "p",
      { class: "muted" },
      "What the adversary knows about how positions follow one another, the same at all times.",
    ),
    forward.element,
    el(
      "label",
      { class: "choice" },
      reversal,
      "Backward is its reversal: one stationary chain, so the bridge bound holds.",
    ),
    backward.element,
  );
  open("Own matrix", content, async () => {
    const ahead = matrixText(forward.input.value, "Forward");
    const changes = {
      corr: "own",
      forward: ahead,
      backward: reversal.checked ? "reversal" : matrixText(backward.input.value, "Backward"),
    };
    if (!changes.forward && (!changes.backward || changes.backward === "reversal"))
      throw new SyntaxError("Forward: give a matrix.");
    await check(changes);
    take(changes);
  });
}

function numberField(id, label, rule, value, help) {
  const { input, error } = createNumber(
    { ...rule, required: true },
    { id, value: Number(value), describedby: [`${id}-help`] },
  );
  return { input, element: labelled(id, label, input, [help, " ", ruleText(rule)], error) };
}

function estimateDialog(state, note, take, check) {
  const cell = numberField(
    "loss-cell",
    "Cell, m",
    CELL_M,
    state.cell_m || "1000",
    "Side of the square cells that count as states; at most 400 are visited, at most 50 for the bridge.",
  );
  const added = numberField(
    "loss-smoothing",
    "Smoothing",
    SMOOTHING,
    state.smoothing || "1",
    "Pseudocount of every transition; larger values hide more of the correlation.",
  );
  const content = el(
    "div",
    { class: "stack" },
    el("p", { class: "notice notice--accent" }, note),
    cell.element,
    added.element,
  );
  open("Estimated from this dataset", content, async () => {
    const changes = { corr: "estimated", cell_m: String(valueOf(cell.input)), smoothing: String(valueOf(added.input)) };
    await check(changes);
    take(changes);
  });
}
