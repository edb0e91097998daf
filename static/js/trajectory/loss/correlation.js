/* Which correlation: three standard ones, the reader's own matrices, or an estimate from the dataset. */

import { radios } from "../../components/choice_controls.js";
import { createNumber, refuseInvalid, ruleText, valueOf } from "../../components/number_field.js";
import { ApiError } from "../../core/api.js";
import { announce, el } from "../../core/dom.js";
import { errorPlace, labelled, showText } from "../../core/elements.js";
import { count, number } from "../../core/format.js";
import { readNumbers } from "../../core/number_text.js";
import { createDistance } from "./distance_field.js";
import { LEGEND, standardOptions } from "./view_state.js";

const CELL_M = { minimum: 0.01 };
const SMOOTHING = { minimum: 0 };

/**
 * The control. `state` is read and changed; `note` is what an estimate discloses. `on.check(changes)` validates them
 * on the server and throws its error; `on.change()` after another correlation was chosen.
 */
export function createCorrelation(state, note, on) {
  const button = (text, name, onclick) => el("button", { type: "button", "aria-label": name, onclick }, text);
  const own = button("Own…", "Own matrix…", () => matrixDialog(state, take, on.check));
  const estimated = button("Estimated…", "Estimated from this dataset…", () =>
    estimateDialog(state, note, take, on.check),
  );
  const more = [own, estimated];
  const group = radios(LEGEND, standardOptions(), state.corr, (corr) => take({ corr }), { shown: true, more });
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
  const cancel = el("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel");
  const apply = el("button", { class: "button button--primary", type: "submit" }, "Apply");
  const onsubmit = async (event) => {
    event.preventDefault();
    if (refuseInvalid(dialog)) return;
    apply.disabled = true;
    error.hidden = true;
    try {
      await submit();
      dialog.close();
    } catch (problem) {
      if (!(problem instanceof ApiError) && !(problem instanceof SyntaxError)) throw problem;
      showText(error, problem.message);
      announce(problem.message);
    } finally {
      apply.disabled = false;
    }
  };
  const parts = [el("h2", { id: "loss-dialog-title" }, title), content, error];
  const actions = el("div", { class: "dialog__actions" }, cancel, apply);
  dialog.append(el("form", { method: "dialog", novalidate: true, onsubmit }, parts, actions));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const helpOf = (id, ...help) => el("p", { class: "field__help", id: `${id}-help` }, help);

function area(id, label, help, value) {
  const described = { "aria-describedby": `${id}-help`, class: "loss__matrix" };
  const input = el("textarea", { id, rows: "4", spellcheck: "false", ...described, value });
  return { input, element: labelled(input, label, helpOf(id, help)) };
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
  if (!json || json === "reversal") return "";
  try {
    const rows = JSON.parse(json).map((row) => row.join(" "));
    return rows.join("\n");
  } catch {
    return json;
  }
}

function matrixDialog(state, take, check) {
  const given = Boolean(state.forward || state.backward);
  const rows = "A line for each present state, a number for each next one; each line sums to 1.";
  const first = readable(state.forward) || (given ? "" : "0.9 0.1\n0.2 0.8");
  const forward = area("loss-forward", "Forward: Pr(next | present)", rows, first);
  const empty = "Empty: no correlation in this direction.";
  const backward = area("loss-backward", "Backward: Pr(previous | present)", empty, readable(state.backward));
  const reversal = el("input", { type: "checkbox", checked: !given || state.backward === "reversal" });
  const follow = () => (backward.element.hidden = reversal.checked);
  reversal.addEventListener("change", follow);
  follow();
  const known = "What the adversary knows about how positions follow one another, the same at all times.";
  const reversed = "Backward is its reversal: one stationary chain, so the bridge bound holds.";
  const choice = el("label", { class: "choice" }, reversal, reversed);
  const about = el("p", { class: "muted" }, known);
  const content = el("div", { class: "stack" }, about, forward.element, choice, backward.element);
  open("Own matrix", content, async () => {
    const changes = {
      corr: "own",
      forward: matrixText(forward.input.value, "Forward"),
      backward: reversal.checked ? "reversal" : matrixText(backward.input.value, "Backward"),
    };
    if (!changes.forward && (!changes.backward || changes.backward === "reversal"))
      throw new SyntaxError("Forward: give a matrix.");
    await check(changes);
    take(changes);
  });
}

function numberField(id, label, rule, value, help) {
  const described = { id, value: Number(value), describedby: [`${id}-help`] };
  const { input, error } = createNumber({ ...rule, required: true }, described);
  return { input, element: labelled(input, label, helpOf(id, help, " ", ruleText(rule)), error) };
}

function estimateDialog(state, note, take, check) {
  const side = "Side of the square cells that count as states; at most 400 are visited, at most 50 for the bridge.";
  const cell = numberField("loss-cell", "Cell, m", CELL_M, state.cell_m || "1000", side);
  const count = "Pseudocount of every transition; larger values hide more of the correlation.";
  const added = numberField("loss-smoothing", "Smoothing", SMOOTHING, state.smoothing || "1", count);
  const disclosed = el("p", { class: "notice notice--accent" }, note);
  const content = el("div", { class: "stack" }, disclosed, cell.element, added.element);
  open("Estimated from this dataset", content, async () => {
    const changes = { corr: "estimated", cell_m: String(valueOf(cell.input)), smoothing: String(valueOf(added.input)) };
    await check(changes);
    take(changes);
  });
}
