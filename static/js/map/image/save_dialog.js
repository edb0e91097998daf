/* "Save the map" as PNG or SVG: with the original, or what was published alone. */

import { announce, el, save } from "../../core/dom.js";
import { choice, showText } from "../../core/elements.js";
import { contentOf, drawSheet, EDGE, hasOriginal, layersFor, layoutOf, WARNING } from "./sheet.js";
import { canvasOf, canvasSurface, svgSurface } from "./surfaces.js";

const SHARPEST = 3; // pixels to one of the page
const FORMATS = [
  ["png", "PNG image"],
  ["svg", "SVG drawing: lines and text that can be edited"],
];

/** @typedef {import("./sheet.js").Description} Description */
/** @typedef {{element: HTMLElement, imageLayers: () => any[], view: () => View, clip: any, middle: number,
 *   describe: () => Description | Promise<Description>}} MapSource */

/** How sharp an image is: as the screen, and twice at least. */
const ratioNow = () => Math.min(SHARPEST, Math.max(2, window.devicePixelRatio || 1));

/**
 * The image of a map in a format, of the published alone where `published`.
 *
 * @param {any} format
 * @param {MapSource} source
 * @param {Description} description
 * @param {boolean} published
 * @returns {Promise<Blob>}
 */
async function fileOf(format, source, description, published) {
  const layers = layersFor(source.imageLayers(), description, published);
  const { ctx } = canvasOf(1, 1, 1);
  const measured = (/** @type {string} */ font, /** @type {string} */ text) => {
    ctx.font = font;
    return ctx.measureText(text).width;
  };
  const view = source.view();
  const content = contentOf(source.element, layers, description);
  const layout = layoutOf(content, { width: view.width + 2 * EDGE, mapHeight: view.height }, measured);
  const surface = (format === "png" ? canvasSurface : svgSurface)(layout, ratioNow());
  await drawSheet(surface, layout, { ...source, layers, view });
  if ("canvas" in surface)
    return new Promise((done, fail) =>
      surface.canvas.toBlob((png) => (png ? done(png) : fail(new Error("The map is too large for an image.")))),
    );
  const about = [...content.entries.map(({ name }) => name), ...content.foot].join(". ");
  return new Blob([surface.text(content.title, about)], { type: "image/svg+xml" });
}

const formatChoice = (/** @type {string[]} */ [value, text], i) =>
  choice(el("input", { type: "radio", name: "format", value, checked: i === 0 }), text);

/** Open the dialog for a map. @param {MapSource} source */
export async function openSaveDialog(source) {
  const description = await source.describe();
  const layers = source.imageLayers();
  const mixed = hasOriginal(layers, description) && layers.some(({ id }) => description.published.includes(id));
  const formats = el(
    "fieldset",
    { class: "save-map__formats stack gap-1" },
    el("legend", {}, "Format"),
    FORMATS.map(formatChoice),
  );
  const published = el("input", { type: "checkbox", onchange: warn });
  const only = el("label", { class: "choice", hidden: !mixed }, published, el("span", {}, "Published positions only"));
  const note = el("p", { class: "notice notice--accent small", role: "status" });
  const cancel = el("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel");
  const button = el("button", { class: "button button--primary", type: "submit" }, "Save");
  const form = el(
    "form",
    { onsubmit: submit },
    el("h2", { id: "save-map-title" }, "Save the map"),
    ...[formats, only, note, el("div", { class: "dialog__actions" }, cancel, button)],
  );
  const dialog = el("dialog", { class: "dialog save-map", "aria-labelledby": "save-map-title" }, form);
  dialog.addEventListener("close", () => dialog.remove());

  const show = (text) => showText(note, text);

  function warn() {
    const shown = layersFor(source.imageLayers(), description, published.checked);
    show(hasOriginal(shown, description) ? WARNING : "");
  }

  const disable = (on) => [formats, published, button].forEach((one) => one.toggleAttribute("disabled", on));

  async function submit(event) {
    event.preventDefault();
    const format = new FormData(form).get("format");
    disable(true);
    try {
      const file = await fileOf(format, source, description, published.checked);
      if (!dialog.open) return;
      save(file, `${["map", ...description.file].join("_")}.${format}`);
      dialog.close();
      announce("The map is saved as an image.");
    } catch (error) {
      if (!dialog.open) return announce("Nothing was saved.");
      show(`The map could not be saved: ${error.message}`);
      disable(false);
    }
  }

  document.body.append(dialog);
  warn();
  dialog.showModal();
}
