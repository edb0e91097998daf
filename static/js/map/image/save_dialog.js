/* "Save the map": as PNG, as SVG, or the playback as a video; with the original, or what was published alone. */

import { announce, el, save } from "../../core/dom.js";
import { percent } from "../../core/format.js";
import { contentOf, drawSheet, hasOriginal, layersFor, layoutOf, EDGE, WARNING } from "./sheet.js";
import { canvasOf, canvasSurface, svgSurface } from "./surfaces.js";

const SHARPEST = 3; // pixels to one of the page
const FPS = 25;
const LENGTHS_S = [5, 10, 20, 30];
const USUAL_S = 10;
const VIDEO = { width: 1280, height: 720, fps: FPS };

/** @typedef {import("./sheet.js").Description} Description */
/** @typedef {{element: HTMLElement, imageLayers: () => any[], view: () => View, clip: any, middle: number,
 *   describe: () => Description | Promise<Description>}} MapSource */

/** How sharp an image is: as the screen, and twice at least. */
const ratioNow = () => Math.min(SHARPEST, Math.max(2, window.devicePixelRatio || 1));

/** What a drawing of the map on a sheet needs. @param {MapSource} source
 * @param {Description} description
 * @param {boolean} published */
function plan(source, description, published) {
  const layers = layersFor(source.imageLayers(), description, published);
  const { ctx } = canvasOf(1, 1, 1);
  const measured = (/** @type {string} */ font, /** @type {string} */ text) => {
    ctx.font = font;
    return ctx.measureText(text).width;
  };
  const view = source.view();
  const content = contentOf(source.element, layers, description);
  const layout = layoutOf(content, { width: view.width + 2 * EDGE, mapHeight: view.height }, measured);
  return { content, layout, map: { ...source, layers, shown: view, view } };
}

/** @param {MapSource} source
 * @param {Description} description
 * @param {boolean} published
 * @returns {Promise<Blob>} */
async function pngOf(source, description, published) {
  const { layout, map } = plan(source, description, published);
  const surface = canvasSurface(layout, ratioNow());
  await drawSheet(surface, layout, map);
  return new Promise((done, fail) =>
    surface.canvas.toBlob((png) => (png ? done(png) : fail(new Error("The map is too large for an image.")))),
  );
}

/** @param {MapSource} source
 * @param {Description} description
 * @param {boolean} published */
async function svgOf(source, description, published) {
  const { content, layout, map } = plan(source, description, published);
  const surface = svgSurface(layout, ratioNow());
  await drawSheet(surface, layout, map);
  const about = [...content.entries.map(({ name }) => name), ...content.foot].join(". ");
  return new Blob([surface.text(content.title, about)], { type: "image/svg+xml" });
}

/** @param {MapSource} source
 * @param {any} description
 * @param {{published: boolean, seconds: number, signal: AbortSignal, progress: (share: number) => void}} options */
async function videoOf(source, description, { published, seconds, signal, progress }) {
  const [{ record }, film] = await Promise.all([
    import("./recorder.js"),
    description.film(source, { seconds, fps: FPS, published }),
  ]);
  return record({ ...film, fps: FPS }, { signal, progress });
}

/** The fields of the dialog. @param {boolean} plays whether there is a playback
 * @param {boolean} mixed whether there is something published beside something that is not
 * @param {() => void} changed */
function createFields(plays, mixed, changed) {
  const formats = [
    ["png", "PNG image"],
    ["svg", "SVG drawing: lines and text that can be edited"],
    ...(plays ? [["webm", "WebM video of the playback, 1280 × 720"]] : []),
  ];
  const radio = (/** @type {string[]} */ [value, text], /** @type {number} */ i) =>
    el(
      "label",
      { class: "choice" },
      el("input", { type: "radio", name: "map-format", value, checked: i === 0, onchange: changed }),
      el("span", {}, text),
    );
  const published = el("input", { type: "checkbox", onchange: changed });
  const seconds = el(
    "select",
    { class: "input" },
    LENGTHS_S.map((one) => el("option", { value: String(one), selected: one === USUAL_S }, `${one} seconds`)),
  );
  const length = el("label", { class: "field", hidden: true }, el("span", {}, "Length"), seconds);
  const choice = el("fieldset", { class: "save-map__formats" }, el("legend", {}, "Format"), formats.map(radio));
  const only = el("label", { class: "choice", hidden: !mixed }, published, el("span", {}, "Published positions only"));
  const format = () => /** @type {any} */ (choice.querySelector("input:checked")).value;
  return {
    elements: [choice, length, only],
    format,
    seconds: () => Number(seconds.value),
    published: () => published.checked,
    showLength: () => (length.hidden = format() !== "webm"),
    disable: (/** @type {boolean} */ on) =>
      [choice, seconds, published].forEach((one) => one.toggleAttribute("disabled", on)),
  };
}

/** Make the file that `fields` describe. @param {MapSource} source
 * @param {Description} description
 * @param {ReturnType<typeof createFields>} fields
 * @param {{signal: AbortSignal, progress: (share: number) => void}} on */
function fileOf(source, description, fields, on) {
  const published = fields.published();
  if (fields.format() === "png") return pngOf(source, description, published);
  if (fields.format() === "svg") return svgOf(source, description, published);
  return videoOf(source, description, { published, seconds: fields.seconds(), ...on });
}

/**
 * Open the dialog for a map.
 *
 * @param {MapSource} source
 */
export async function openSaveDialog(source) {
  const description = await source.describe();
  const layers = source.imageLayers();
  const mixed = hasOriginal(layers, description) && layers.some(({ id }) => description.published.includes(id));
  const stop = new AbortController();
  const fields = createFields(Boolean(description.film), mixed, change);
  const note = el("p", { class: "notice notice--accent small", role: "status" });
  const bar = el("progress", { class: "progress", max: 1, value: 0, "aria-label": "Recorded", hidden: true });
  const cancel = el("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel");
  const button = el("button", { class: "button button--primary", type: "submit" }, "Save");
  const form = el(
    "form",
    { onsubmit: submit },
    el("h2", { id: "save-map-title" }, "Save the map"),
    ...[...fields.elements, note, bar, el("div", { class: "dialog__actions" }, cancel, button)],
  );
  const dialog = el("dialog", { class: "dialog save-map", "aria-labelledby": "save-map-title" }, form);
  dialog.addEventListener("close", () => {
    stop.abort(new Error("Cancelled."));
    dialog.remove();
  });

  /** @param {string} text */
  function show(text) {
    note.textContent = text;
    note.hidden = !text;
  }

  async function change() {
    fields.showLength();
    const all = layersFor(source.imageLayers(), description, fields.published());
    show(hasOriginal(all, description) || (!fields.published() && fields.format() === "webm") ? WARNING : "");
    button.disabled = false;
    if (fields.format() !== "webm") return;
    const { configurationFor, UNSUPPORTED } = await import("./recorder.js");
    if (fields.format() !== "webm" || (await configurationFor(VIDEO))) return;
    show(UNSUPPORTED);
    button.disabled = true;
  }

  /** @param {number} share */
  function progress(share) {
    bar.value = share;
    bar.setAttribute("aria-valuetext", percent(share, 2));
  }

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    const format = fields.format();
    fields.disable(true);
    button.disabled = true;
    bar.hidden = format !== "webm";
    try {
      const file = await fileOf(source, description, fields, { signal: stop.signal, progress });
      if (stop.signal.aborted) return;
      save(file, `${[format === "webm" ? "playback" : "map", ...description.file].join("_")}.${format}`);
      dialog.close();
      announce(format === "webm" ? "The playback is saved as a video." : "The map is saved as an image.");
    } catch (error) {
      if (stop.signal.aborted) return announce("Nothing was saved.");
      show(`The map could not be saved: ${error.message}`);
      fields.disable(false);
      button.disabled = false;
    }
  }

  document.body.append(dialog);
  change();
  dialog.showModal();
}
