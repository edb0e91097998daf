/* The table of the releases and their downloads. */

import { term } from "../../components/glossary.js";
import { swatch } from "../../components/swatch.js";
import { withQuery } from "../../core/address.js";
import { el } from "../../core/dom.js";
import { fileLink, quantity, smallButton } from "../../core/elements.js";
import { metres, number } from "../../core/format.js";
import { verdictText } from "../../components/verdict_text.js";
import { LEVELS } from "./guarantee.js";

const STATES = { queued: "Waiting", running: "Running", done: "Done", failed: "Failed", cancelled: "Cancelled" };

const formatLink = (urls, title, { name, title: text }) =>
  fileLink(withQuery(urls.data, { format: name }), text, `${title} as ${text}`);

const links = ({ urls }, title, formats) => [
  ...formats.filter(({ bundled }) => bundled).map((format) => formatLink(urls, title, format)),
  fileLink(urls.notebook, "Notebook", `${title} as a Jupyter notebook over the CSV`),
  fileLink(urls.bundle, "ZIP", `${title} as ZIP with label and configuration`),
  el("a", { href: urls.report, "aria-label": `Report of ${title}` }, "Report"),
  el("a", { href: urls.explain, "aria-label": `Explain ${title}` }, "Explain"),
  urls.publish && el("a", { href: urls.publish, "aria-label": `Publish ${title}` }, "Publish"),
];

/** Every format in its group, with what it is for. */
function allFormats(release, title, formats) {
  const groups = [...new Set(formats.map(({ group }) => group))];
  const line = (format) =>
    el("li", {}, formatLink(release.urls, title, format), el("span", { class: "muted" }, ` ${format.use}`));
  const listed = groups.map((group) => [
    el("p", { class: "downloads__group" }, group),
    el("ul", { class: "downloads__formats" }, ...formats.filter((one) => one.group === group).map(line)),
  ]);
  return el("details", { class: "downloads__all small" }, el("summary", {}, "All formats"), ...listed.flat());
}

const cell = (label, ...content) => el("td", { "data-label": label, class: "number" }, ...content);

const drawn = new WeakMap(); // table body or panel → what it shows, so that only what changed is made again

/** All that a row shows, but a job's progress, which it does not. */
const rowKey = ({ layer: { id, release, done }, lineStyle, title, level, loss }) =>
  JSON.stringify([
    id,
    done,
    release.state,
    release.seed,
    release.owner_view,
    release.verdict,
    release.summary,
    release.label,
    lineStyle,
    title,
    level,
    loss,
  ]);

/**
 * The table's rows for `shown` = [{layer, lineStyle, title, level, loss}]; `formats` are those of files;
 * `on.smooth(layer)` makes a new one of a finished one, `on.attack(layer)` attacks it.
 */
export function showSummary(body, shown, formats, on) {
  const before = drawn.get(body) ?? new Map();
  const focused = document.activeElement?.closest("[data-act]");
  const [held, act] = [focused?.closest("tr")?.dataset.release, focused?.dataset.act];
  const rows = new Map(shown.map((one) => [rowKey(one), before.get(rowKey(one)) ?? row(one, formats, on)]));
  drawn.set(body, rows);
  const wanted = [...rows.values()];
  for (const node of [...body.children]) if (!wanted.includes(node)) node.remove();
  for (const [i, node] of wanted.entries())
    if (body.children[i] !== node) body.insertBefore(node, body.children[i] ?? null);
  const again = held && body.querySelector(`tr[data-release="${held}"] [data-act=${act}]`);
  if (again && again !== document.activeElement) again.focus({ preventScroll: true });
}

function row({ layer, lineStyle, title, level, loss }, formats, on) {
  const { release, done } = layer;
  const error = (name) => release.owner_view && quantity(`${name}:${release.id}`, metres(release.owner_view[name]));
  const budgets = release.summary?.budgets;
  const spread = !budgets
    ? ""
    : budgets.min === budgets.max
      ? number(budgets.min)
      : `${number(budgets.min)} – ${number(budgets.max)}`;
  const head = el("span", { class: "row" }, swatch(lineStyle), title);
  return el(
    "tr",
    { dataset: { release: release.id } },
    el("th", { scope: "row" }, head),
    el("td", { "data-label": "Level" }, LEVELS[level] ? term(LEVELS[level][0], level) : level),
    cell("Mean error", error("mae_m")),
    cell("Median", error("median_error_m")),
    cell("95 %", error("p95_error_m")),
    cell("Verdict", verdictText(release.verdict)),
    cell("Radius", quantity(`radius_m:${release.id}`, metres(release.mechanism.radius_m))),
    cell("Budget", spread),
    cell("Loss, at most", loss === null ? "" : number(loss)),
    el(
      "td",
      { "data-label": "State" },
      release.seed === null ? STATES[release.state] : `${STATES[release.state]}, NOT PRIVATE`,
    ),
    el(
      "td",
      { class: "actions" },
      done
        ? [
            el(
              "span",
              { class: "row" },
              el("span", { class: "downloads" }, links(release, title, formats)),
              button("smooth", "Smooth", layer, title, on),
              button("attack", "Attack", layer, title, on),
            ),
            label(release),
          ]
        : [],
    ),
  );
}

const button = (act, label, layer, title, on) =>
  smallButton(`${label}…`, `${label} ${title}`, () => on[act](layer), { dataset: { act } });

function label(release) {
  return el(
    "details",
    { class: "downloads__label" },
    el("summary", {}, "Privacy label"),
    el("p", { class: "small" }, release.label),
  );
}

/** All that are done: as one ZIP, and on paper. */
function together(done, urls) {
  const query = done.map(({ layer }) => ["release", layer.id]);
  return el(
    "span",
    { class: "downloads" },
    el("a", { href: withQuery(urls.bundle, query), download: true }, "All as ZIP"),
    el("a", { href: withQuery(urls.report, query) }, "Report to print"),
  );
}

/** The same downloads as a menu, with all `formats`; `urls` are those of all together. */
export function showDownloads(panel, shown, { urls, formats }) {
  const done = shown.filter(({ layer }) => layer.done);
  const now = JSON.stringify(done.map(({ layer, lineStyle, title }) => [layer.id, lineStyle, title]));
  if (drawn.get(panel) === now) return;
  drawn.set(panel, now);
  const rows = done.map(({ layer, lineStyle, title }) =>
    el(
      "div",
      { class: "downloads__row" },
      el("span", { class: "row" }, swatch(lineStyle), title),
      el("span", { class: "downloads" }, links(layer.release, title, formats)),
      allFormats(layer.release, title, formats),
    ),
  );
  panel.replaceChildren(
    ...(rows.length ? rows : [el("p", { class: "menu__text muted" }, "No release is finished yet.")]),
    ...(rows.length ? [el("p", { class: "menu__text" }, together(done, urls))] : []),
    el("p", { class: "menu__text small muted" }, "Every file carries its privacy label."),
  );
}
