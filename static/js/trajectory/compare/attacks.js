/* An attack on a release: chosen in a dialog, followed, shown in a panel, with a note that it reads the original, and
 * on the maps. One at a time.
 *
 * The page's address keeps which (attack=id), so that the jobs drawer, a link or a reload lead to it.
 */

import { createDialogForm } from "../../components/dialog_form.js";
import { createFields } from "../../components/form_fields.js";
import { refreshJobs } from "../../components/jobs.js";
import { readdress, withQuery } from "../../core/address.js";
import { del, get, isOver, poll, post } from "../../core/api.js";
import { $, announce, el } from "../../core/dom.js";
import { factList, fileLink, list, smallButton } from "../../core/elements.js";
import { capitalized, done, duration, metres, number, percent, queued } from "../../core/format.js";
import { addSpeed } from "../postprocess_steps.js";
import { fetchTrack, partOf } from "../track.js";

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
function createAttackForm(dialog, { urls, dataset, made }) {
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
      const of = { release: release.id, series: chosen.population ? null : series };
      show(await post(urls.attacks, { ...of, attack: requested }));
    },
  });

  function show(attack) {
    dialog.close();
    made(attack);
  }

  async function ready() {
    if (methods) return;
    methods = (await get(urls.attack_methods)).results;
    kinds.append(...methods.map((method) => methodOption(method, () => choose(method))));
  }

  function choose(method) {
    chosen = method;
    method.check();
    if (!filledIn.has(method)) {
      const element = el("div", { class: "tiles tiles--fit gap-4" });
      const fields = createFields(element, method.fields, { onChange: () => showErrors([]) });
      addSpeed(element, fields, () => showErrors([]));
      filledIn.set(method, { element, fields });
    }
    const { element } = filledIn.get(method);
    host.replaceChildren(...(element.children.length ? [element] : []));
    const title = el("h3", {}, "Assumed knowledge of the adversary");
    $("[data-assumes]", dialog).replaceChildren(title, ...assumptions(method));
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
    const rows = results.map((attack) => earlierAttack(attack, dataset, () => show(attack)));
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
  list({ class: "bullets" }, assumes),
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
  const parameters = el("span", { class: "muted" }, parametersOf(attack));
  const about = [el("strong", {}, attack.method), ` ${which}${text}`, el("br"), parameters];
  const button = smallButton("Show", `Show ${attack.method}: ${text}`, show);
  return el("li", {}, el("span", { class: "small" }, about), button);
}

const WAITS = { queued: "", running: "Attacking" };

/** A headline as text: yes or no where it is whether one thing was found in one release. */
export function valueOf({ value, unit, share }, { series }) {
  if (value === null) return "none";
  if (share && series !== null) return value ? "yes" : "no";
  if (share) return percent(value);
  return unit === "m" ? metres(value) : `${number(value)}${unit ? ` ${unit}` : ""}`;
}

/**
 * A panel in `host`. `on`: {cancel, retry, close, remove, find} act on the attack shown.
 * Returns {show(attack, onMap), hide()}; `onMap` is true once there is something of it on the map.
 */
function createAttackPanel(host, dataset, on) {
  let shape = "";

  function fill({ state, stage, progress, eta_s, queue_position, cancel_requested }) {
    if (!(state in WAITS)) return;
    const left = eta_s ? ` · ${duration(Math.ceil(eta_s))} left` : "";
    $("[data-state-text]", host).textContent = cancel_requested
      ? "Stopping"
      : state === "running"
        ? `${stage || WAITS.running} · ${done(progress)}${left}`
        : capitalized(queued(queue_position));
    const bar = $("progress", host);
    if (state === "running") bar.value = progress;
    else bar.removeAttribute("value");
  }

  return {
    show(attack, onMap) {
      const now = JSON.stringify([attack.id, attack.state, onMap]); // the rest is filled in
      const held = host.contains(document.activeElement);
      if (shape !== now) host.replaceChildren(...parts(attack, onMap, dataset, on));
      host.hidden = false;
      if (held && shape !== now) host.focus({ preventScroll: true }); // its button is gone
      shape = now;
      fill(attack);
    },
    hide() {
      shape = "";
      host.hidden = true;
      host.replaceChildren();
    },
  };
}

function parts(attack, onMap, dataset, on) {
  const which = attack.series !== null && dataset.series.length > 1 ? ` · ${seriesName(dataset, attack.series)}` : "";
  const close = smallButton("Close", "Close the attack", on.close);
  return [
    el("div", { class: "attack__head" }, el("h3", {}, `${attack.title}${which}`), close),
    el("p", { class: "small muted" }, parametersOf(attack)),
    el("p", { class: "attack__warning small" }, attack.warning),
    ...body(attack, onMap, on),
  ];
}

function body(attack, onMap, on) {
  const { title, state, error, headlines } = attack;
  const act = (text, name, label = `${text} ${title}`) => smallButton(text, label, on[name]);
  if (state in WAITS)
    return [
      el("p", { dataset: { stateText: "" } }),
      el("progress", { class: "progress", max: 1, "aria-label": title }),
      el("div", { class: "row" }, act("Cancel", "cancel")),
    ];
  if (state !== "done")
    return [
      el("p", {}, error ? `Failed: ${error.message} ${error.action}` : "Cancelled."),
      el("div", { class: "row" }, act("Retry", "retry"), act("Delete", "remove")),
    ];
  const file = (format, text) => fileLink(withQuery(attack.urls.data, { format }), text, `${title} as ${text}`);
  const files = [file("json", "JSON"), attack.guesses_events && file("csv", "CSV")];
  const facts = headlines.map((line) => [line.title, valueOf(line, attack)]);
  return [
    el("p", {}, attack.sentence),
    factList({ class: "facts small" }, facts),
    el("p", { class: "small muted" }, attack.note),
    el("details", { class: "small" }, el("summary", {}, "Assumed knowledge of the adversary"), assumptions(attack)),
    el(
      "div",
      { class: "row small" },
      onMap && act("Show on the map", "find", `Show on the map: ${title}`),
      act("Delete", "remove"),
      el("span", { class: "attack__files line gap-3" }, files),
    ),
  ];
}

/** What is shown while there is no attack. @type {{attack: any, places: any[], track: any}} */
const NOTHING = { attack: null, places: [], track: null };

/**
 * Attacks, shown in `host` and chosen in `dialog`. `attempt(action)` runs an action that may fail; `changed()` is
 * called when there is something else to draw, `show(box)` brings [west, south, east, north] into sight.
 */
export class Attacks {
  #shown = NOTHING;
  /** @type {AbortController | null} */
  #following = null;

  constructor(host, dialog, { urls, dataset, attempt, changed, show }) {
    this.host = host;
    this.urls = urls;
    this.dataset = dataset;
    this.attempt = attempt;
    this.changed = changed;
    this.show = show;
    this.panel = createAttackPanel(host, dataset, {
      close: () => this.#close(),
      find: () => this.#find(),
      cancel: () => this.#act("cancel"),
      retry: () => this.#act("retry"),
      remove: () => attempt(() => this.#remove()),
    });
    const made = (attack) => attempt(() => this.#begin(attack));
    this.form = createAttackForm(dialog, { urls, dataset, made });
  }

  /** Open the dialog for a release. */
  open(release, title, series) {
    return this.form.open(release, title, series);
  }

  /** What lies above the lines while `series` is shown (see map_layers.js): places, or the path within `range`. */
  marks(series, range) {
    const { attack } = this.#shown;
    if (!attack || (attack.series !== null && attack.series !== series)) return [];
    return isDrawn(this.#shown) ? marksOf(this.#shown, range) : [];
  }

  /** Show the one that the address names, if it still exists. */
  resume() {
    const id = new URLSearchParams(location.search).get("attack");
    if (id) this.attempt(() => this.#open(id));
  }

  async #open(id) {
    try {
      await this.#follow(await get(`${this.urls.attacks}${encodeURIComponent(id)}/`));
    } catch (error) {
      if (!this.#shown.attack) this.#close(); // it was deleted
      throw error;
    }
  }

  #begin(made) {
    const followed = this.#follow(made);
    this.host.focus({ preventScroll: true });
    this.host.scrollIntoView({ block: "start" });
    return followed;
  }

  /** Show an attack until it is over, then its result. */
  async #follow(made) {
    this.#clear();
    this.#following = new AbortController();
    const { signal } = this.#following;
    readdress((url) => url.searchParams.set("attack", made.id));
    const update = (attack) => {
      this.#shown = { ...this.#shown, attack };
      this.panel.show(attack, false);
    };
    update(made);
    await untilOver(made, signal, update);
    if (this.#shown.attack?.state === "done") await this.#draw(signal);
    if (signal.aborted) return;
    const { title, state, sentence } = this.#shown.attack;
    announce(`${title}: ${state === "done" ? sentence : `${state}.`}`);
  }

  async #draw(signal) {
    const { attack } = this.#shown;
    const { places, path } = await get(attack.urls.result, { signal });
    const track = path ? await fetchTrack(attack.urls.track, { signal, time: false }) : null;
    if (signal.aborted) return;
    this.#shown = { attack: { ...attack, guesses_events: path }, places, track };
    this.panel.show(this.#shown.attack, isDrawn(this.#shown));
    this.changed();
    if (!isWithin(this.#box(), this.dataset.bounds)) this.#find();
  }

  #clear() {
    this.#following?.abort();
    this.#shown = NOTHING;
  }

  #close() {
    this.#clear();
    readdress((url) => url.searchParams.delete("attack"));
    this.panel.hide();
    this.changed();
  }

  #act(action) {
    const { attack } = this.#shown;
    return this.attempt(async () => this.#follow(await post(`${attack.urls.self}${action}/`)));
  }

  async #remove() {
    const { title, urls } = this.#shown.attack;
    await del(urls.self);
    this.#close();
    announce(`${title} is deleted.`);
  }

  #box() {
    return boxAround(this.#shown, this.dataset.bounds);
  }

  #find() {
    const box = this.#box();
    if (box) this.show(box);
  }
}

const isDrawn = ({ places, track }) =>
  places.some(({ lon, found_lon }) => lon !== null || found_lon !== null) || track !== null;

/** [west, south, east, north] around all that is drawn of an attack and of the dataset; null around nothing. */
export function boxAround({ places, track }, bounds) {
  if (track || !bounds || bounds[0] > bounds[2]) return track ? track.bounds() : bounds;
  const there = (...names) =>
    places.flatMap((place) => names.map((name) => place[name])).filter((degrees) => degrees !== null);
  const lons = [...there("lon", "found_lon"), bounds[0], bounds[2]];
  const lats = [...there("lat", "found_lat"), bounds[1], bounds[3]];
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)];
}

/** Whether a map that shows `bounds` shows all of `box`. */
export function isWithin(box, bounds) {
  if (!box || !bounds) return true;
  const [west, south, east, north] = bounds;
  return west > east || box[0] > box[2] || (box[0] >= west && box[1] >= south && box[2] <= east && box[3] <= north);
}

/** What lies above the lines for an attack: its places, or the path within `range`. */
export function marksOf({ places, track }, range) {
  if (track) {
    return [{ id: "guessed", kind: "guessed", title: "Guessed path", count: track.n, source: partOf(track, range) }];
  }
  const count = places.filter(({ found_lon }) => found_lon !== null).length;
  return [{ id: "guesses", kind: "guesses", title: "Guessed places", count, source: places }];
}

/** Follow an attack until it is over; `onUpdate(attack)` receives each state. */
async function untilOver(attack, signal, onUpdate) {
  if (isOver(attack)) return;
  refreshJobs();
  const update = (now) => signal.aborted || onUpdate(now);
  await poll(attack.urls.self, { every: 500, onUpdate: update, signal });
  refreshJobs();
}
