/* A release form that needs the upload alone: one table of mechanisms with what to expect, their promise and price. */

import { ApiError, post } from "../../core/api.js";
import { $, data, el } from "../../core/dom.js";
import { sentenceOf } from "../../core/field_errors.js";
import { count, number } from "../../core/format.js";
import { idempotencyHeaders } from "../../core/idempotency.js";
import { createForecast } from "../forecast_request.js";
import { keepForm } from "../kept_form.js";
import { isGiven, refuseInvalid } from "../number_field.js";
import { showTexts } from "../problem_box.js";
import { createPurpose } from "../release_purpose.js";
import { spendingText } from "../quote_text.js";
import { createSubmitBar, labelOf } from "../submit_bar.js";
import { createAccepted } from "./accepted.js";
import { showPromises } from "./quoted_promise.js";
import { createRows } from "./quoted_rows.js";
import { summaryOf } from "./submit_summary.js";

const sentences = (/** @type {any[]} */ found) => found.map(sentenceOf).join(" ");
const showProblems = (/** @type {string[]} */ notes) => showTexts($("[data-problem]"), notes);

/** "ε 1" of a level, "" while it is missing. */
export const epsilonText = ({ epsilon }) => (isGiven(epsilon) ? `ε ${number(epsilon)}` : "");

/**
 * The form of templates/releases/common/form.html. `kind` has what `createRows` takes, and
 *
 * - `createLevel({onChange})` -> {values(), set(values), fail(errors) -> the others, clear()}, the fields above
 * - `levelText(values)`, `noun`, `unusable`, what to do where no release is usable, `beside()`, sent with each request
 * - `noLevel`, why there may be no ε for what is accepted
 * - `show(found, rows)` fills the rows and returns {answer, rule} as nodes; `preview(rows, values)` may follow
 * - `short(values, row)` the guarantee as the texts before and after the factor of odds, `uncovered(values)` what is
 *   not covered beside what the quote lists
 */
export class QuotedForm {
  #page = data("page-data");
  #root = $("main"); // the purpose is in the title
  #section = $("[data-errors]");
  #promise = $("[data-promise]");
  #rowsOf = new WeakMap(); // the rows of each request
  #shownLevel = "";
  #isSending = false;
  #isReady = false;
  #problem = ""; // why there is no quote
  /** The newest quote, while it matches the form. @type {any} */
  #quote = null;
  /** Of the newest quote; before any what is spent. @type {any} */
  #budget = this.#page.budget;

  /** @param {any} kind */
  constructor(kind) {
    const { urls, mechanisms } = this.#page;
    const onChange = () => this.update();
    this.kind = kind;
    this.bar = createSubmitBar(this.#root);
    this.errors = createForecast(urls.expected, {
      show: (found, body) => this.#showErrors(found, body),
      fail: (found) => this.#refuseErrors(found),
    });
    this.quotes = createForecast(urls.quote, {
      show: (found, body) => this.#showQuote(found, body),
      fail: (found) => this.#refuseQuote(found),
    });
    this.level = kind.createLevel({ onChange });
    this.purpose = createPurpose($("[data-purpose]"), { onChange });
    const simulateAll = () => this.#simulateAll();
    this.rows = createRows($("[data-errors-table]"), mechanisms, kind, { onChange, simulateAll });
    this.accepted = createAccepted($("[data-accepted]"), {
      url: urls.levels,
      bodyOf: (accepted) => ({ accepted }),
      none: kind.noLevel,
      titleOf: (name) => this.rows.rows.find(({ mechanism }) => mechanism.name === name)?.title ?? name,
      use: (epsilon) => this.#setEpsilon(epsilon),
      requested: () => this.#leading(),
    });
    this.#listen();
    this.kept = keepForm(this.#root, { more: this.rows.memory });
    this.#isReady = true;
    this.update();
  }

  #listen() {
    const meaning = $("[data-meaning]");
    meaning.addEventListener("click", () => {
      const isOpen = meaning.getAttribute("aria-expanded") !== "true";
      meaning.setAttribute("aria-expanded", String(isOpen));
      $("#meaning").hidden = !isOpen;
    });
    $("[data-form]").addEventListener("submit", (event) => {
      event.preventDefault();
      if (!refuseInvalid(this.#root)) this.#submit();
    });
    window.addEventListener("pageshow", () => this.#setSending(false)); // also on the way back
    window.addEventListener("online", () => this.update());
  }

  /** Whether all above the table is given. */
  #isValid = () => Object.values(this.level.values()).every(isGiven) && !this.bar.invalid().length;
  #specs = (some) => some.map((row) => row.spec(this.level.values()).mechanism);

  #simulateAll() {
    if (!this.purpose.experiment()) this.purpose.set(1);
    for (const { box } of this.rows.tickable()) box.checked = true;
    this.rows.state.isTouched = true;
    this.update();
  }

  #setEpsilon(epsilon) {
    this.level.set({ epsilon });
    this.update();
  }

  /** What the least ε is stated for: the two rows of the best figure, at a level that does not matter. */
  #leading() {
    if (this.errors.isWaiting()) return undefined;
    const isOf = (row) => row.canTick && !this.kind.isApart(row) && row.isWhole() && row.found;
    const two = this.#isValid() ? this.rows.offered().filter(isOf).slice(0, 2) : [];
    const mechanisms = two.map((row) => row.spec({ ...this.level.values(), epsilon: 1 }).mechanism);
    return two.length ? { dataset: this.#page.dataset, mechanisms } : null;
  }

  // What it will mean

  /** Follow every change of the form. */
  update() {
    if (!this.#isReady) return;
    $("[data-not-private]").hidden = !this.purpose.experiment();
    this.rows.place();
    const some = this.rows.whole();
    if (!this.#isValid() || !some.length) {
      this.errors.stop();
      const [wrong] = this.bar.invalid();
      this.#dim(`No forecast: ${wrong ? labelOf(wrong) : "a value"} is missing or invalid`);
    } else {
      const body = { dataset: this.#page.dataset, mechanisms: this.#specs(some) };
      this.#rowsOf.set(body, some);
      const level = this.kind.levelText(this.level.values());
      if (this.errors.request(body)) this.#dim(`Updating forecast for ${level} …`);
    }
    this.#requestQuote();
    this.accepted.update();
    this.#showBar();
  }

  /** What is shown is of an earlier request: dimmed, with the reason above it. */
  #dim(reason) {
    this.#section.dataset.stale = "";
    this.#section.setAttribute("aria-busy", String(this.errors.isWaiting()));
    const note = this.#shownLevel && `Values below are for ${this.#shownLevel}.`;
    $("[data-errors-answer]").replaceChildren(el("strong", {}, reason), el("span", {}, note));
  }

  #refuseErrors(found) {
    this.#dim(sentences(this.level.fail(found)) || "No forecast: a value is refused");
    this.#showBar();
  }

  #showErrors(found, body) {
    const { kind, rows } = this;
    this.#shownLevel = kind.levelText(this.level.values());
    delete this.#section.dataset.stale;
    this.#section.removeAttribute("aria-busy");
    kind.free.take(found);
    rows.show(found.mechanisms, this.#rowsOf.get(body));
    const { answer, rule } = kind.show(found, rows);
    $("[data-errors-answer]").replaceChildren(...answer);
    $("[data-errors-rule]").replaceChildren(...rule);
    kind.preview?.(rows, this.level.values());
    this.accepted.update();
    this.#requestQuote();
    this.#showBar();
  }

  /** What the releases chosen promise and cost; with none, what is left. */
  #requestQuote() {
    const some = this.rows.chosen();
    if (!some.length) {
      if (!this.errors.isWaiting()) showPromises(this.#promise, [], this.kind);
      this.#dropQuote("");
    } else if (!this.#isValid() || !some.every((row) => row.isWhole()))
      this.#dropQuote("A value is missing or invalid: see the marked fields.");
    else {
      const body = { dataset: this.#page.dataset, mechanisms: this.#specs(some), ...this.kind.beside?.() };
      this.#rowsOf.set(body, some);
      if (this.quotes.request(body)) this.#promise.dataset.stale = "";
      else if (this.#quote) this.#showQuote(this.#quote, body);
    }
  }

  #refuseQuote(found) {
    this.#dropQuote(sentences(found));
    this.#showBar();
  }

  /** Keep what is shown, dimmed: it is of other values. */
  #dropQuote(note) {
    this.quotes.stop();
    [this.#quote, this.#problem] = [null, note];
    if (this.rows.chosen().length) this.#promise.dataset.stale = "";
    else delete this.#promise.dataset.stale;
  }

  #showQuote(found, body) {
    [this.#quote, this.#budget] = [found, found.budgets[0]];
    delete this.#promise.dataset.stale;
    const [{ kind }, values, experiment] = [this, this.level.values(), this.purpose.experiment()];
    showPromises(this.#promise, experiment ? [] : found.mechanisms, {
      ...{ rows: this.#rowsOf.get(body), epsilon: values.epsilon, noun: kind.noun },
      ...{ more: kind.uncovered(values), short: (row) => kind.short(values, row) },
    });
    $("[data-spending]").textContent = spendingText(this.#budget, experiment);
    this.#showBar();
  }

  /** What is made, what it costs, and whether it may be: not while a forecast is of other values than the form's. */
  #showBar() {
    const { kind, rows, bar } = this;
    const [chosen, experiment, values] = [rows.chosen(), this.purpose.experiment(), this.level.values()];
    const isCurrent = (this.#quote !== null && !this.quotes.isWaiting()) || !chosen.length;
    const { spent, total, price, label } = this.#budget;
    const cost = experiment || !chosen.length ? 0 : isCurrent ? price : null;
    const updating = this.errors.isWaiting() || this.quotes.isWaiting();
    const shown = summaryOf({
      ...{ isCurrent, experiment, updating, problem: this.#problem, noun: kind.noun, unusable: kind.unusable },
      ...{ chosen: chosen.map(({ title }) => title), isTouched: rows.state.isTouched, page: this.#page.urls.page },
      ...{ text: kind.levelText(values), epsilon: values.epsilon, invalid: bar.invalid() },
      use: (epsilon) => this.#setEpsilon(epsilon),
      fits: this.#quote?.budgets.every(({ fits }) => fits) ?? true,
      isUnsound: this.#quote?.mechanisms.some(({ publishable }) => !publishable) ?? false,
      budget: { spent, cost, total, unit: `ε of ${label}` },
    });
    bar.show({ ...shown, ...(this.#isSending && { state: "blocked" }) });
    if (!updating) $("[data-form]").dataset.ready = "all";
  }

  // Sending

  async #submit() {
    const { level, purpose, rows } = this;
    this.#setSending(true);
    const some = rows.chosen();
    [level, purpose, ...some.map(({ fields }) => fields)].forEach((one) => one.clear());
    showProblems([]);
    const made = [];
    for (const row of some) {
      const seed = purpose.seed();
      const spec = { ...row.spec(level.values()), ...(seed !== null && { seed }) };
      const body = { dataset: this.#page.dataset, ...spec, ...this.kind.beside?.() };
      try {
        made.push(await post(this.#page.urls.releases, body, { headers: idempotencyHeaders(body) }));
      } catch (error) {
        this.#setSending(false);
        if (!(error instanceof ApiError)) throw error;
        this.#refuse(row, error.errors, made.length);
        return;
      }
    }
    this.kept.forget();
    const query = new URLSearchParams(made.map(({ id }) => ["release", id]));
    location.assign(`${this.#page.urls.compare}?${query}`);
  }

  #setSending(on) {
    this.#isSending = on;
    this.#showBar();
  }

  #refuse(row, found, made) {
    const rest = row.fields.fail(this.purpose.fail(this.level.fail(found)));
    if ($("[aria-invalid=true]", row.detail)) row.unfold(true);
    const note = rest.map((one) => `${row.title}: ${sentenceOf(one)}`);
    if (made) note.push(`${count(made, this.kind.noun)} before it will not be created twice.`);
    showProblems(note);
    ($("[aria-invalid=true]") ?? $("[data-problem]")).focus();
  }
}
