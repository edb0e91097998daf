/* A release form of any kind of data: one table of releases with what to expect, their promise and their price. */

import { idempotencyHeaders, post } from "../../core/api.js";
import { $, data, el } from "../../core/dom.js";
import { list, smallButton } from "../../core/elements.js";
import { sentenceOf } from "../../core/field_errors.js";
import { count, number } from "../../core/format.js";
import { createForecast } from "../forecast_request.js";
import { keepForm } from "../kept_form.js";
import { isGiven, refuseInvalid } from "../number_field.js";
import { showTexts } from "../problem_box.js";
import { createPurpose, summaryOf } from "./submit_summary.js";
import { createSubmitBar, labelOf } from "../submit_bar.js";
import { createAccepted } from "./accepted.js";

const sentences = (/** @type {any[]} */ found) => found.map(sentenceOf).join(" ");
/** Have a button show and hide. @param {HTMLElement} button @param {(isOpen: boolean) => void} show */
const unfolds = (button, show) =>
  button.addEventListener("click", () => {
    const isOpen = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(isOpen));
    show(isOpen);
  });
const mechanismsOf = (/** @type {any[]} */ specs) => ({ mechanisms: specs.map(({ mechanism }) => mechanism) });

/** Show why nothing was made. @param {string[]} notes */
export const showProblems = (notes) => showTexts($("[data-problem]"), notes);

/** "ε 1" of a level, "" while it is missing. */
export const epsilonText = ({ epsilon }) => (isGiven(epsilon) ? `ε ${number(epsilon)}` : "");

/**
 * The form of templates/releases/common/form.html. `kind` has
 *
 * - `createLevel({onChange})` -> {values(), set(values), fail(errors) -> the others, clear()}, the fields above the
 *   table, `levelText(values)` and `follow(form)`, what follows from the fields alone
 * - `createRows(table, {onChange, simulateAll})`, as release_table.js
 * - `subject()`, what all requests are about, `specsOf(specs)`, how those on errors have them, `errorsOf` and
 *   `quoteOf()`, what is requested beside them
 * - `show(found, rows, values)` fills the rows and returns {answer, rule} as nodes, and what to do where none is
 *   usable, `unusable`, if that is not the kind's
 * - `promise(host, quote, rows, {values, experiment})` shows what releases promise, `quote` null for none
 * - `budgetOf(quote, values)` -> {spent, cost, total, unit, fits}, null for none; the page has a quote of no release
 * - `bar(state, chosen)` follows the bar below the form
 * - `noun`, `unusable`, what to do where no release is usable, `accepted` as accepted.js takes it, and `levelAt(level)`
 *   the level of a usable one, as the server found it, as text
 * - `query()`, what the comparison is opened with
 */
export class ReleaseForm {
  page = data("page-data");
  #root = $("main"); // the purpose is in the title
  #section = $("[data-errors]");
  #promise = $("[data-promise]");
  #rowsOf = new WeakMap(); // the rows of each request
  #shownLevel = "";
  #isSending = false;
  /** @type {{forget: () => void} | null} */
  kept = null;
  #isReady = false;
  #problem = ""; // why there is no quote
  #unusable = ""; // what to do where no release is usable
  /** The newest quote, while it matches the form. @type {any} */
  #quote = null;
  /** The newest quote of all; before any what is spent. @type {any} */
  #last = this.page.quote;

  constructor(kind) {
    const { urls } = this.page;
    const onChange = () => this.update();
    this.kind = kind;
    this.bar = createSubmitBar(this.#root);
    this.errors = createForecast(urls.expected, {
      show: (found, body) => this.#showErrors(found, body),
      fail: (found) => this.#refuseErrors(found),
      first: 0,
    });
    this.quotes = createForecast(urls.quote, {
      show: (found, body) => this.#showQuote(found, body),
      fail: (found) => {
        this.#dropQuote(sentences(found));
        this.#showBar();
      },
      first: 0,
    });
    this.usable = createForecast(urls.levels, { show: (found, body) => this.#showUsable(found, body), fail: () => {} });
    this.level = kind.createLevel({ onChange });
    this.purpose = createPurpose($("[data-purpose]"), { onChange });
    const simulateAll = () => this.#simulateAll();
    this.rows = kind.createRows($("[data-errors-table]"), { onChange, simulateAll });
    this.accepted = createAccepted($("[data-accepted]"), {
      ...kind.accepted,
      url: urls.levels,
      titleOf: this.rows.titleOf,
      use: (epsilon) => this.setEpsilon(epsilon),
      requested: () => this.#leading(),
    });
    this.#listen();
  }

  /** Take what was typed before, and state what it means. */
  start() {
    this.kept = keepForm(this.#root, { more: this.rows.memory });
    this.#isReady = true;
    this.update();
  }

  #listen() {
    const preview = $("[data-preview-toggle]");
    unfolds($("[data-meaning]"), (isOpen) => ($("#meaning").hidden = !isOpen));
    unfolds(preview, (isOpen) => preview.closest("figure").toggleAttribute("data-open", isOpen)); // on a phone
    $("[data-form]").addEventListener("submit", (event) => {
      event.preventDefault();
      if (!refuseInvalid(this.#root)) this.#submit();
    });
    window.addEventListener("pageshow", () => this.#setSending(false)); // also on the way back
    window.addEventListener("online", () => this.update());
  }

  /** Whether all above the table is given. */
  isValid = () => Object.values(this.level.values()).every(isGiven);

  /** What is sent of a row, with the seed if it is a simulation. */
  described = (row) => {
    const seed = this.purpose.seed();
    return { ...row.spec(this.level.values()), ...(seed !== null && { seed }) };
  };

  setEpsilon(epsilon) {
    this.level.set({ epsilon });
    this.update();
  }

  #simulateAll() {
    if (!this.purpose.experiment()) this.purpose.set(1);
    this.rows.choose(this.rows.tickable());
    this.update();
  }

  /** What the least ε is stated for: the two rows of the best figure, at a level that does not matter. */
  #leading() {
    if (this.errors.isWaiting()) return undefined;
    const two = this.isValid() ? this.rows.leading(2) : [];
    return two.length ? this.#bodyOf(two, { ...this.level.values(), epsilon: 1 }) : null;
  }

  #bodyOf(rows, values = this.level.values()) {
    const { subject, specsOf = mechanismsOf } = this.kind;
    return { ...subject(), ...specsOf(rows.map((row) => row.spec(values))) };
  }

  // What it will mean

  /** Follow every change of the form. */
  update() {
    if (!this.#isReady) return;
    $("[data-not-private]").hidden = !this.purpose.experiment();
    this.kind.follow?.(this);
    this.rows.place();
    const some = this.rows.whole();
    if (!this.isValid() || !some.length) {
      this.errors.stop();
      const [wrong] = this.bar.invalid();
      this.#dim(`No forecast: ${wrong ? labelOf(wrong) : "a value"} is missing or invalid`);
    } else {
      const body = { ...this.#bodyOf(some), ...this.kind.errorsOf };
      this.#rowsOf.set(body, some);
      if (this.errors.request(body)) this.#dim(`Updating forecast for ${this.kind.levelText(this.level.values())} …`);
    }
    this.#requestQuote();
    this.accepted.update();
    this.#showBar();
  }

  /** What is shown is of an earlier request: dimmed, with the reason above it. */
  #dim(reason) {
    this.usable.stop();
    this.#section.dataset.stale = "";
    this.#section.setAttribute("aria-busy", String(this.errors.isWaiting()));
    const note = this.#shownLevel && `Values below are for ${this.#shownLevel}.`;
    $("[data-errors-answer]").replaceChildren(el("strong", reason), el("span", note));
  }

  #refuseErrors(found) {
    this.#dim(sentences(this.level.fail(found)) || "No forecast: a value is refused");
    this.#showBar();
  }

  #showErrors(found, body) {
    this.#shownLevel = this.kind.levelText(this.level.values());
    delete this.#section.dataset.stale;
    this.#section.removeAttribute("aria-busy");
    const isMoved = this.rows.show(found, this.#rowsOf.get(body));
    const { answer, rule, unusable } = this.kind.show(found, this.rows, this.level.values());
    this.#unusable = unusable ?? this.kind.unusable;
    $("[data-errors-answer]").replaceChildren(...answer);
    $("[data-errors-rule]").replaceChildren(...rule);
    if (isMoved) return this.update();
    this.#requestQuote();
    this.accepted.update();
    this.#requestUsable();
    this.#showBar();
  }

  /** Where no row is usable, at which level one would be: the first, or the next where there is no such level. */
  #requestUsable(row = this.rows.leading(1)[0]) {
    if (this.rows.best() || !row?.found.verdict) return;
    const body = this.#bodyOf([row]);
    this.#rowsOf.set(body, [row]);
    this.usable.request(body);
  }

  #showUsable({ mechanisms: [level] }, body) {
    const [[row], all] = [this.#rowsOf.get(body), this.rows.leading(Infinity)];
    if (typeof level?.epsilon !== "number") {
      const next = all[all.indexOf(row) + 1];
      if (next) this.#requestUsable(next);
      return;
    }
    const text = this.kind.levelAt(level);
    const use = () => {
      this.level.set(level);
      this.update();
    };
    const [answer, button] = [$("[data-errors-answer]"), smallButton(`Use ${text}`, `Use ${text}`, use)];
    const line = el("span", { dataset: { usableAt: "" } }, `usable at ${text}: ${row.title}`);
    answer.replaceChildren(answer.children[0], line, button); // one line, as before
  }

  /** What the releases chosen promise and cost; with none, what is left. */
  #requestQuote() {
    const some = this.rows.chosen();
    if (!this.isValid() || !some.every((row) => row.isWhole()))
      this.#dropQuote("A value is missing or invalid: see the marked fields.");
    else if (!some.length) {
      if (!this.errors.isWaiting()) this.#showPromise(null, []);
      this.#dropQuote("");
    } else {
      const { subject, quoteOf } = this.kind;
      const specs = some.map((row) => row.spec(this.level.values()));
      const body = { ...subject(), ...mechanismsOf(specs), ...quoteOf?.() };
      this.#rowsOf.set(body, some);
      if (this.quotes.request(body)) this.#promise.dataset.stale = "";
      else if (this.#quote && !this.quotes.isWaiting()) this.#showQuote(this.#quote, body);
    }
  }

  /** Keep what is shown, dimmed: it is of other values. */
  #dropQuote(note) {
    this.quotes.stop();
    [this.#quote, this.#problem] = [null, note];
    this.#promise.toggleAttribute("data-stale", this.rows.chosen().length > 0);
  }

  #showQuote(found, body) {
    this.#quote = this.#last = found;
    delete this.#promise.dataset.stale;
    this.#showPromise(found, this.#rowsOf.get(body));
    this.#showBar();
  }

  #showPromise(quote, rows) {
    const state = { values: this.level.values(), experiment: this.purpose.experiment() };
    this.kind.promise(this.#promise, quote, rows, state);
  }

  /** What is made, what it costs, and whether it may be: not while a forecast is of other values than the form's. */
  #showBar() {
    if (!this.#isReady) return;
    const { kind, rows, bar } = this;
    const [chosen, experiment, values] = [rows.chosen(), this.purpose.experiment(), this.level.values()];
    const updating = this.errors.isWaiting() || this.quotes.isWaiting();
    const shown = summaryOf({
      ...{ experiment, updating, problem: this.#problem, noun: kind.noun, unusable: this.#unusable },
      ...{ chosen: chosen.map(({ title }) => title), isTouched: rows.isTouched, page: this.page.urls.page },
      ...{ text: kind.levelText(values), epsilon: values.epsilon, invalid: bar.invalid() },
      use: (epsilon) => this.setEpsilon(epsilon),
      isUnsound: this.#quote?.mechanisms.some(({ publishable }) => publishable === false),
      isMade: (chosen.length ? chosen : [rows.best()]).some((row) => row?.found?.made),
      isCurrent: this.#quote !== null && !this.quotes.isWaiting(),
      budget: kind.budgetOf(this.#last, values),
    });
    bar.show({ ...shown, ...(this.#isSending && { state: "blocked" }) });
    kind.bar?.(shown.state, chosen);
    if (!updating) $("[data-form]").dataset.ready = "all";
  }

  // Sending

  async #submit() {
    const { level, purpose, rows, page } = this;
    this.#setSending(true);
    const some = rows.chosen();
    [level, purpose, ...some].forEach((one) => one.clear());
    showProblems([]);
    const made = [];
    for (const row of some) {
      const body = { ...this.kind.subject(), ...this.described(row) };
      try {
        made.push(await post(page.urls.releases, body, { headers: idempotencyHeaders(body) }));
      } catch (error) {
        this.#setSending(false);
        this.#refuse(row, error.errors ?? [error], made.length);
        return;
      }
    }
    this.kept?.forget();
    const query = new URLSearchParams([...(this.kind.query?.() ?? []), ...made.map(({ id }) => ["release", id])]);
    location.assign(`${page.urls.compare}?${query}`);
  }

  #setSending(on) {
    this.#isSending = on;
    this.#showBar();
  }

  #refuse(row, found, made) {
    const rest = row.fail(this.purpose.fail(this.level.fail(found)));
    if ($("[aria-invalid=true]", row.detail)) row.unfold(true);
    const note = rest.map((one) => `${row.title}: ${sentenceOf(one)}`);
    if (made)
      note.push(
        `${count(made, this.kind.noun)} before it ${made === 1 ? "was" : "were"} submitted and will not be created ` +
          "twice.",
      );
    showProblems(note);
    ($("[aria-invalid=true]") ?? $("[data-problem]")).focus();
  }
}

/** Each sentence of `stated` once, with the releases that state it: {title, text, nodes}, its text without these. */
export function statements(stated) {
  const byText = new Map();
  for (const { title, text, nodes = [`${text} `] } of stated) {
    const { titles = [] } = byText.get(text) ?? {};
    byText.set(text, { titles: [...titles, title], nodes });
  }
  return [...byText.values()].flatMap(({ titles, nodes }) => [
    el("strong", byText.size > 1 ? `${titles.join(", ")}: ` : "Guarantee. "),
    ...nodes,
  ]);
}

/** Show in `host` the `nodes` on `many` releases, and what they do not cover; `noun` is what may be ticked. */
export function showPromise(host, many, { nodes, uncovered, noun }) {
  const section = $("[data-uncovered]", host);
  section.hidden = !many;
  $("[data-promises]", host).replaceChildren(...(many ? nodes : [`Tick a ${noun} to read what it guarantees.`]));
  $("h3", section).textContent = many > 1 ? "Not covered by any of these" : "Not covered";
  $("[data-uncovered-list]", section).replaceChildren(list({}, uncovered));
}
