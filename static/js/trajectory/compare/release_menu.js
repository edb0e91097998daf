/* What can be done with a release: one menu, beside it in the list of layers and in the table. */

import { withQuery } from "../../core/address.js";
import { el } from "../../core/dom.js";
import { fileLink } from "../../core/elements.js";
import { placeBy } from "../../map/popover.js";

const formatLink = (urls, title, { name, title: text }) =>
  fileLink(withQuery(urls.data, { format: name }), text, `${title} as ${text}`);

/** Every format in its group, with what it is for; what comes with them. */
function downloads({ urls }, title, formats) {
  const groups = [...new Set(formats.map(({ group }) => group))];
  const line = (format) =>
    el("li", {}, formatLink(urls, title, format), el("span", { class: "muted" }, ` ${format.use}`));
  const listed = groups.map((group) => [
    el("p", { class: "downloads__group" }, group),
    el("ul", { class: "downloads__formats" }, ...formats.filter((one) => one.group === group).map(line)),
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
export function releaseMenu(known, page, on) {
  const panel = el("div", { class: "menu__panel release-menu" });
  const summary = el("summary", { class: "button button--quiet button--small button--square" }, "⋯");
  summary.setAttribute("aria-label", `Actions of ${known().title}`);
  const menu = el("details", { class: "menu", dataset: { menu: "" } }, summary, panel);
  menu.addEventListener("toggle", (event) => {
    if (event.target !== menu) return;
    panel.replaceChildren(...(menu.open ? items(known(), page, on).filter(Boolean) : [])); // none of another time
    if (menu.open) placeBy(summary, panel, "beside"); // the list scrolls, and would cut it
  });
  return menu;
}
