/* What the page shows of its releases beside map and charts: which of them can be used, what it costs and what can be
 * done with it; the guarantee of one; the table; a menu of each.
 */

import { figure, showAnswer } from "../../components/answer_card.js";
import { term } from "../../components/glossary.js";
import { watchChecks } from "../../components/release_checks.js";
import { columnCells } from "../../components/release_columns.js";
import { swatch } from "../../core/swatch.js";
import { withQuery } from "../../core/address.js";
import { $, $$, el } from "../../core/dom.js";
import { fileLink, list, quantity } from "../../core/elements.js";
import { count, metres, number } from "../../core/format.js";
import { titleParts } from "../../core/level.js";
import { placeBy } from "../../map/popover.js";
import { homeGuess } from "./simulation.js";
import { bestOf } from "./visibility.js";

/** What the middle of the visits gives away of home; nothing while it is not known. */
function homeLine({ layer, original, home }) {
  const away = home?.visits && original ? homeGuess(original, layer, home.runs) : null;
  if (away === null) return [];
  const exposed = away < layer.release.owner_view.median_error_m;
  const [gives, places] = home.visits === 1 ? ["gives", "places"] : ["give", "place"];
  const text = `${count(home.visits, "event")} ${exposed ? `${gives} it away to` : `${places} it`} `;
  const guess = figure(`home_guess_m:${layer.id}`, metres(away));
  return [el("p", `${exposed ? "⚠\ufe0e exposes " : ""}home: ${text}`, guess, exposed ? "." : " off.")];
}

/** Where the newest release of each title is compared, not the requested ones alone. */
function allOf({ urls, landmark_set }) {
  const query = landmark_set ? `?landmark_set=${landmark_set}` : "";
  return el("a", { href: urls.compare + query }, "compare with the others");
}

/**
 * Show which of `layers` answers. `known` = {layers, lineStyles, titled, original, home}, `home` as the API
 * has it; `page` has the address of the form for another release, and how many `comparable` releases there are.
 */
export function showBest(known, page) {
  const { layers, lineStyles, titled } = known;
  const best = bestOf(layers.map(({ release }) => release));
  const layer = layers.find(({ release }) => release === best);
  const errors = layer?.release.owner_view;
  if (!errors) return showAnswer(null, page.urls.form);
  const { release } = layer;
  const [name, level = ""] = titleParts(titled(layer));
  const many = layers.filter((one) => one.done && one.release.seed === null).length;
  const others = page.comparable > layers.length;
  /** @type {(string | Node)[]} */
  const of = [many > 1 || others ? `best of ${many}${others ? " shown" : ""}` : ""];
  if (others && page.requested.length > 1) of.push(" · ", allOf(page));
  const error = (key) => figure(`${key}:${release.id}`, metres(errors[key]));
  const figures = ["half of the events within ", error("median_error_m"), ", 95\u202f% within ", error("p95_error_m")];
  const about = { release, isSeeded: release.seed !== null, verdict: release.verdict, style: lineStyles.get(layer.id) };
  return showAnswer({ ...about, name, level, of, figures, more: homeLine({ ...known, layer }) }, page.urls.form);
}

// level -> the term of the glossary that explains it, and how it is called here
export const LEVELS = {
  landmark: ["landmark", "landmark privacy"],
  event: ["event-level", "event-level privacy"],
  user: ["user-level", "user-level privacy"],
  "w-event": ["w-event", "w-event privacy"],
};

const titledList = (title, items) => (items.length ? [el("h4", {}, title), list({}, items)] : []);

/** What a level within a radius means for odds. */
export function meaning({ epsilon, radius_m }) {
  const times = (power) => (power < Math.log(1e6) ? number(Math.exp(power)) : `e to the ${number(power)}`);
  return (
    `If each protected event had been up to ${metres(radius_m)} from where it was, this release would have been at ` +
    `most ${times(epsilon)} times as likely or as unlikely; up to ${metres(2 * radius_m)}, ${times(2 * epsilon)} times.`
  );
}

/** Show the guarantee of `release`, called `title`, in `host`. An opened explanation stays open. */
function showGuarantee(host, release, title) {
  const open = host.querySelector("details")?.open ?? false;
  const { guarantee } = release;
  if (!guarantee) {
    const text =
      `A seeded simulation (seed ${release.seed}): whoever knows the seed can remove the noise. ` +
      "It has no guarantee and must not be published.";
    host.replaceChildren(el("h3", {}, `${title}: NOT PRIVATE`), el("p", {}, text));
    return;
  }
  const level = LEVELS[guarantee.level];
  const radius = quantity(`radius_m:${release.id}`, metres(guarantee.radius_m));
  host.replaceChildren(
    el("h3", {}, `${title}: `, level ? term(...level) : guarantee.level, ", ", radius),
    el("p", {}, guarantee.statement),
    el(
      "details",
      { open },
      el("summary", {}, "Interpretation"),
      el("p", {}, meaning(guarantee)),
      titledList("Assumes", guarantee.assumptions),
      titledList("Does not cover", guarantee.caveats),
    ),
  );
}

const formatLink = (urls, title, { name, title: text }) =>
  fileLink(withQuery(urls.data, { format: name }), text, `${title} as ${text}`);

/** Every format in its group, with what it is for; what comes with them. */
function downloads({ urls }, title, formats) {
  const groups = [...new Set(formats.map(({ group }) => group))];
  const line = (format) => [formatLink(urls, title, format), el("span", { class: "muted" }, ` ${format.use}`)];
  const listed = groups.map((group) => [
    el("p", { class: "downloads__group" }, group),
    list({ class: "downloads__formats" }, formats.filter((one) => one.group === group).map(line)),
  ]);
  const together = [
    fileLink(urls.notebook, "Notebook", `${title} as a Jupyter notebook over the CSV`),
    fileLink(urls.bundle, "ZIP", `${title} as ZIP with label and configuration`),
  ];
  return [...listed.flat(), el("p", { class: "row" }, together)];
}

const fold = (text, ...content) =>
  el("details", { class: "release-menu__fold" }, el("summary", {}, text), el("div", { class: "small" }, content));

/** The items of the menu of a finished release. */
function items({ layer, title }, { formats, mayDelete }, on) {
  const { release } = layer;
  const { urls } = release;
  const link = (text, href) => el("a", { href, "aria-label": `${text} ${title}` }, text);
  const act = (text, name) =>
    el("button", { type: "button", "aria-label": `${text} ${title}`, onclick: () => on[name](layer) }, `${text}…`);
  const deletion = { delete: urls.self, name: title, takes: "the released events; the budget they spent stays spent" };
  return [
    link("Report", urls.report),
    link("Explain", urls.explain),
    urls.publish && link("Publish", urls.publish),
    fold("Download", ...downloads(release, title, formats)),
    fold("Privacy label", release.label),
    el("hr"),
    act("Smooth", "smooth"),
    act("Attack", "attack"),
    mayDelete && el("hr"),
    mayDelete && el("button", { type: "button", dataset: deletion, "aria-label": `Delete ${title}` }, "Delete…"),
  ];
}

/**
 * The menu of `known()` = {layer, title}, filled while it is open. `page` = {formats, mayDelete};
 * `on.smooth(layer)` makes a new release of it, `on.attack(layer)` attacks it; [data-delete] is for dialogs.js.
 */
function releaseMenu(known, page, on) {
  const panel = el("div", { class: "menu__panel release-menu" });
  const summary = el("summary", { class: "button button--quiet button--small button--square" }, "⋯");
  summary.setAttribute("aria-label", `Actions of ${known().title}`);
  const menu = el("details", { class: "menu", dataset: { menu: "" } }, summary, panel);
  const toggled = (/** @type {Event} */ { target }) => {
    const filled = () => (menu.open ? items(known(), page, on).filter(Boolean) : []);
    if (target === menu) panel.replaceChildren(...filled()); // none of another time
    if (menu.open) placeBy(summary, panel, "beside"); // the list scrolls, and would cut it; a fold makes it longer
  };
  menu.addEventListener("toggle", toggled, true); // of its folds too, whose event does not bubble
  return menu;
}

const STATES = { queued: "Waiting", running: "Running", done: "Done", failed: "Failed", cancelled: "Cancelled" };

const drawn = new WeakMap(); // table body → its rows, so that only what changed is made again

/** All that a row shows, but a job's progress, which it does not. */
function rowKey({ layer: { id, release, done }, ...rest }) {
  const { state, seed, owner_view, verdict, summary, label } = release;
  return JSON.stringify([id, done, state, seed, owner_view, verdict, summary, label, rest]);
}

/**
 * The rows for `shown` = [{layer, lineStyle, title, level, loss}], with the `columns` of the page; `menu(layer)`
 * is what can be done with one.
 */
export function showSummary(body, shown, columns, menu) {
  const before = drawn.get(body) ?? new Map();
  const focused = body.contains(document.activeElement) && document.activeElement?.closest("tr");
  const held = focused && focused.dataset.release;
  const rows = new Map(shown.map((one) => [rowKey(one), before.get(rowKey(one)) ?? row(one, columns, menu)]));
  drawn.set(body, rows);
  const wanted = [...rows.values()];
  for (const node of [...body.children]) if (!wanted.includes(node)) node.remove();
  for (const [i, node] of wanted.entries())
    if (body.children[i] !== node) body.insertBefore(node, body.children[i] ?? null);
  const again = held && body.querySelector(`tr[data-release="${held}"] .menu > summary`);
  if (again && again !== document.activeElement) again.focus({ preventScroll: true });
}

function row({ layer, lineStyle, title, level, loss }, columns, menu) {
  const { release, done } = layer;
  const { owner_view: errors, mechanism, summary, verdict } = release;
  const state = release.seed === null ? STATES[release.state] : `${STATES[release.state]}, NOT PRIVATE`;
  const head = el("span", { class: "row" }, swatch(lineStyle), title);
  return el(
    "tr",
    { dataset: { release: release.id } },
    el("th", { scope: "row" }, head),
    el("td", { "data-label": "Level" }, LEVELS[level] ? term(LEVELS[level][0], level) : level),
    columnCells(columns, release.id, { ...mechanism, ...errors, verdict, budget: summary?.budgets, loss }),
    el("td", { "data-label": "State" }, state),
    el("td", { class: "actions" }, done ? menu(layer) : []),
  );
}

/**
 * `known()` is the present state of the page, with `titles` the mechanisms of the API by name. `on.attempt(what)` runs
 * what may fail, `on.attack(layer)` attacks a release, `on.join(release)` adds one that was made of another.
 */
export function createReleasesView(bench, page, known, on) {
  /** @type {any} */
  let smoothing = null;

  /** Open the dialog of post-processing, which is loaded with its first use. */
  async function smooth(layer) {
    const { createSmoothing } = await import("./postprocess_dialog.js");
    smoothing ??= createSmoothing(page.urls.postprocesses, (release) => on.attempt(() => on.join(release)));
    smoothing.open(layer.release, known().titled(layer));
  }

  const shownBy = { formats: page.formats, mayDelete: "mayDelete" in bench.dataset };
  const actions = {
    smooth: (layer) => on.attempt(() => smooth(layer)),
    attack: (layer) => on.attempt(() => on.attack(layer)),
  };
  /** The menu of the layer `id`. */
  const menu = (id) => {
    const layer = () => known().layers.find((one) => one.id === id);
    return releaseMenu(() => ({ layer: layer(), title: known().titled(layer()) }), shownBy, actions);
  };

  return {
    menu,
    /** The table, with the highest `losses` by id, and the links to all releases that are done. */
    summary(losses = new Map()) {
      const { layers, lineStyles, titled, titles } = known();
      const shown = layers.map((layer) => ({
        layer,
        lineStyle: lineStyles.get(layer.id),
        title: titled(layer),
        level: titles.get(layer.release.mechanism.name)?.level ?? "",
        loss: losses.get(layer.id) ?? null,
      }));
      showSummary($("[data-summary]"), shown, page.columns, ({ id }) => menu(id));
      const done = layers.filter((layer) => layer.done).map(({ id }) => ["release", id]);
      for (const link of $$("[data-together]")) {
        if (done.length) link.href = withQuery(page.urls[link.dataset.together], done);
      }
    },
    /** The guarantee of the release that is looked at, and which of all can be used. */
    answer() {
      const { active: layer, titled } = known();
      const host = $("[data-guarantee]");
      host.hidden = !layer;
      if (layer) showGuarantee(host, layer.release, titled(layer));
      showBest(known(), page);
    },
  };
}

/**
 * Open `dialog`, which chooses the releases of the comparison and whose form leads there, by `button`, with those
 * chosen that are shown().
 */
export function createPicker(dialog, button, shown) {
  const checks = watchChecks($("form", dialog));
  $("[data-close]", dialog).addEventListener("click", () => dialog.close());
  button.addEventListener("click", () => {
    checks.set(shown());
    dialog.showModal();
  });
}
