/* The panel with the base maps to choose from, each with what is requested from whom, in one sentence; with the
 * consent to a map of the area and its fetch.
 */

import { ApiError, del, postForm } from "../core/api.js";
import { announce, el } from "../core/dom.js";
import { smallButton } from "../core/elements.js";
import { bytes, count, day, done } from "../core/format.js";
import * as choices from "./basemap_choice.js";
import { degreesText } from "./graticule.js";
import { createPopover } from "./popover.js";
import { BUILT_IN_ZOOM } from "./projection.js";

const { baseMap, chooseBaseMap, isFetching, isPermitted, mapOfArea, setBaseMap, TITLES } = choices;
/** @typedef {import("./basemap_choice.js").Config} Config */
const NONE = "Nothing is requested: no tile server sees which area you view.";
const BUILT_IN =
  `Coasts, borders, rivers and cities of Natural Earth, drawn for 1 : 10 million, to zoom ${BUILT_IN_ZOOM}: closer ` +
  "they would be wrong by up to a kilometre. " +
  "From this server: no other one learns the area.";
const FILE = "A PMTiles file on this server. Nothing leaves it.";
const OFF = "Not offered by the operator of this Cairn.";
let panels = 0;

/** The panel of `button`: {element, update}; `update` shows the present choice. @param {HTMLButtonElement} button */
export function createPanel(button) {
  const name = `base-map-${(panels += 1)}`;
  const problem = el("p", { class: "base-panel__problem", role: "alert", hidden: true });
  const file = filePart(attempt);
  const consent = consentPart(attempt);
  const parts = /** @type {const} */ ([
    ["none", () => NONE, null],
    ...(baseMap()?.area ? [/** @type {const} */ (["area", areaText, areaPart(attempt)])] : []),
    ["built-in", () => BUILT_IN, null],
    ["file", () => FILE, file],
    ["server", serverText, consent],
  ]);
  const rows = parts.map(([choice, text, part]) => row(name, choice, text, part, chosen));
  const title = el("h2", { class: "base-panel__title", id: `${name}-title` }, "Base map");
  const element = el(
    "div",
    { class: "base-panel", role: "dialog", "aria-labelledby": `${name}-title` },
    el("header", { class: "base-panel__head small muted" }, title, el("span", {}, "remembered for your account")),
    rows.map((choice) => choice.element),
    problem,
  );
  const popover = createPopover(button, element, { opened: () => focusChosen() });

  const focusChosen = () => rows.find(({ input }) => input.checked)?.input.focus();

  async function attempt(change) {
    problem.hidden = true;
    try {
      await change();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem.textContent = error.message;
      problem.hidden = false;
      update();
    }
  }

  function chosen(choice) {
    problem.hidden = true;
    rows.forEach(({ part, input }) => part?.show(input.checked));
    popover.place();
    if (choice === "server" || (choice === "file" && !baseMap()?.file)) return; // what is to be done first is shown now
    attempt(() => chooseBaseMap(choice)).then(() => announce(`Base map: ${TITLES[choice].toLowerCase()}`));
  }

  function update() {
    const config = /** @type {Config} */ (baseMap());
    const lacking = { server: !config.server, area: !config.area?.row?.tiles };
    for (const { choice, input, part, describe } of rows) {
      input.checked = choice === config.choice;
      input.disabled = lacking[choice] ?? false;
      describe();
      part?.show(input.checked);
    }
    if (element.matches(":popover-open")) popover.place();
  }
  return { element, update };
}

function serverText() {
  const server = baseMap()?.server;
  if (!server) return OFF;
  const origin = server.referrer === "no-referrer" ? "" : ", the address of this Cairn";
  const whose = server.name === server.host ? server.host : `${server.name} (${server.host})`;
  return `${whose}: its operator learns your IP address${origin}, the area and the zoom you view.`;
}

/** One base map: {element, input, choice, part, describe}; `text()` is its sentence, `part` what else it has. */
function row(name, choice, text, part, onChosen) {
  const id = `${name}-${choice}`;
  const described = el("span", { class: "base-panel__text", id: `${id}-text` });
  const attributes = { type: "radio", name, id, value: choice, "aria-describedby": `${id}-text` };
  const input = el("input", { ...attributes, onchange: () => onChosen(choice) });
  const label = el("label", { class: "base-panel__name", for: id }, TITLES[choice]);
  const element = el("div", { class: "base-panel__row" }, input, el("div", {}, label, described, part?.element));
  return { element, input, choice, part, describe: () => (described.textContent = text()) };
}

function consentPart(attempt) {
  const choose = async () => {
    await chooseBaseMap("server", baseMap()?.server?.host);
    announce("Base map: tile server");
  };
  const agree = smallButton("", null, () => attempt(choose));
  return {
    element: agree,
    show(/** @type {boolean} */ on) {
      agree.textContent = isPermitted() ? "Allow and load" : "Allow and reload the page";
      agree.hidden = !on || baseMap()?.choice === "server";
    },
  };
}

function filePart(attempt) {
  const state = el("p", { class: "base-panel__state" });
  const pick = el("input", { type: "file", accept: ".pmtiles", class: "visually-hidden", onchange: send });
  const upload = el("label", { class: "button button--small base-panel__upload" }, "Upload a file", pick);
  const forget = async () => setBaseMap(await del(`${baseMap()?.api}file/`));
  const removal = smallButton("Remove it", "Remove it", () => attempt(forget), { style: "button--quiet" });
  const element = el(
    "div",
    { class: "base-panel__part stack gap-2" },
    state,
    el("div", { class: "row" }, upload, removal),
    help(),
  );

  function send() {
    const [file] = pick.files ?? [];
    if (!file) return;
    const form = new FormData();
    form.append("file", file);
    attempt(async () => {
      try {
        const onProgress = (/** @type {number} */ share) => (state.textContent = `Sent ${Math.floor(100 * share)} %`);
        setBaseMap(await postForm(`${baseMap()?.api}file/`, form, { onProgress }));
        announce(`Base map: ${file.name}`);
      } finally {
        pick.value = "";
      }
    });
  }
  return {
    element,
    show(/** @type {boolean} */ on) {
      const { file, upload_mb: most } = /** @type {Config} */ (baseMap());
      element.hidden = !on;
      removal.hidden = !file?.own;
      state.textContent = file
        ? file.name || "The operator’s file"
        : `None yet. Up to ${most} MB; larger ones are set by the operator (CAIRN_TILES).`;
    },
  };
}

function help() {
  const summary = el("summary", {}, "How to get one");
  const command = "pmtiles extract SOURCE.pmtiles city.pmtiles --bbox=WEST,SOUTH,EAST,NORTH";
  return el(
    "details",
    { class: "base-panel__help" },
    summary,
    el("p", {}, "With the pmtiles tool of Protomaps, out of a file of the whole world:"),
    el("code", {}, command),
    el("p", {}, "Whoever serves SOURCE learns that box: take a country or a region, not the area of your data."),
  );
}

/** 48.800° N to 48.950° N, 2.200° E to 2.500° E. @param {Bounds} box */
export function boxText([west, south, east, north]) {
  const between = (from, to, letters) => `${degreesText(from, 0.001, letters)} to ${degreesText(to, 0.001, letters)}`;
  return `${between(south, north, ["N", "S"])}, ${between(west, east, ["E", "W"])}`;
}

/** What the choice is, in one sentence; what it needs of others stands in the part below. */
function areaText() {
  const { row, offer } = mapOfArea();
  if (row?.tiles)
    return (
      `Streets and places, ${bytes(row.size)} to zoom ${row.zooms[1]}, from ${row.host}, here since ` +
      `${day(row.finished_at ?? "")}. From this server: no other one learns what you view.`
    );
  return offer?.refused || "Streets and places around your data, fetched once, then from this server alone.";
}

/** What the user agrees to. @param {import("./basemap_choice.js").Offer} offer */
export function consentText({ host, encrypted, box, region, tiles, most_mb: most, kept }) {
  if (kept) return "The map of another dataset holds this area: it is copied, and nothing is requested.";
  return (
    `From ${host}, at most ${most} MB: the region ${boxText(region)} (${count(tiles, "tile")} of zoom 8). It learns ` +
    `that region and the address of this server, not the box of your data in it (${boxText(box)}).` +
    (encrypted ? "" : " Without encryption: others on the way learn the same.")
  );
}

function areaPart(attempt) {
  const text = el("p", { class: "base-panel__state" });
  const progress = el("progress", { max: 1, "aria-label": "Fetched" });
  const button = (/** @type {string} */ label, /** @type {() => Promise<void>} */ onClick, style = "") =>
    smallButton(label, label, () => attempt(onClick), { style });
  const agree = button("Allow and fetch", async () => {
    const { offer } = mapOfArea();
    await choices.fetchArea(offer && !offer.kept ? offer.host : "");
    const { row } = mapOfArea();
    announce(row?.tiles ? "Base map: map of the area" : (row?.error?.message ?? "The map was not fetched."));
  });
  const cancel = button("Cancel", choices.cancelArea, "button--quiet");
  const remove = button("Remove it", choices.removeArea, "button--quiet");
  const buttons = el("div", { class: "row" }, agree, cancel, remove);
  const element = el("div", { class: "base-panel__part stack gap-2" }, text, progress, buttons);

  function show() {
    const { row, offer } = mapOfArea();
    const fetching = isFetching(row);
    const there = Boolean(row?.tiles);
    const needsConsent = !there && !fetching && offer !== null && !offer.refused;
    progress.hidden = cancel.hidden = !fetching;
    agree.hidden = !needsConsent;
    agree.textContent = offer?.kept ? "Use it" : "Allow and fetch";
    agree.setAttribute("aria-label", agree.textContent);
    remove.hidden = !there || offer === null;
    progress.value = row?.progress ?? 0;
    text.textContent = "";
    if (fetching) text.textContent = `${row?.stage || "Waiting"} · ${done(row?.progress ?? 0)}`;
    else if (needsConsent && offer) {
      if (row?.error) text.append(el("strong", {}, `${row.error.message} `));
      text.append(consentText(offer));
    }
    text.hidden = !text.textContent;
    element.hidden = !(fetching || needsConsent || !remove.hidden);
  }
  return { element, show };
}
