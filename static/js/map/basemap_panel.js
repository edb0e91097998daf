/* The panel with the base maps to choose from, each with what is requested from whom, in one sentence. */

import { ApiError, del, postForm } from "../core/api.js";
import { announce, el } from "../core/dom.js";
import { areaPart, areaText } from "./basemap_area.js";
import { baseMap, chooseBaseMap, isPermitted, setBaseMap, TITLES } from "./basemap_choice.js";
import { createPopover } from "./popover.js";
import { BUILT_IN_ZOOM } from "./projection.js";

const NONE = "Nothing is requested: no tile server sees which area you view.";
const BUILT_IN =
  `Coasts, borders, rivers and cities of Natural Earth, drawn for 1 : 10 million, to zoom ${BUILT_IN_ZOOM}: closer ` +
  "they would lie up to a kilometre beside their places. " +
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
    rows.map(({ element: one }) => one),
    problem,
  );
  const popover = createPopover(button, element, { opened: () => focusChosen() });

  const focusChosen = () => rows.find(({ input }) => input.checked)?.input.focus();

  /** @param {() => Promise<void>} change */
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

  /** @param {import("./basemap_choice.js").Choice} choice */
  function chosen(choice) {
    problem.hidden = true;
    rows.forEach(({ part, input }) => part?.show(input.checked));
    popover.place();
    if (choice === "server" || (choice === "file" && !baseMap()?.file)) return; // what is to be done first is shown now
    attempt(() => chooseBaseMap(choice)).then(() => announce(`Base map: ${TITLES[choice].toLowerCase()}`));
  }

  function update() {
    const config = /** @type {import("./basemap_choice.js").Config} */ (baseMap());
    for (const one of rows) {
      one.input.checked = one.choice === config.choice;
      one.input.disabled =
        (one.choice === "server" && !config.server) || (one.choice === "area" && !config.area?.row?.tiles);
      one.describe();
      one.part?.show(one.input.checked);
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

/**
 * One base map: {element, input, choice, part, describe}.
 *
 * @param {string} name
 * @param {import("./basemap_choice.js").Choice} choice
 * @param {() => string} text
 * @param {{element: HTMLElement, show: (on: boolean) => void} | null} part
 * @param {(choice: import("./basemap_choice.js").Choice) => void} onChosen
 */
function row(name, choice, text, part, onChosen) {
  const id = `${name}-${choice}`;
  const described = el("span", { class: "base-panel__text", id: `${id}-text` });
  const input = el("input", {
    type: "radio",
    name,
    id,
    value: choice,
    "aria-describedby": `${id}-text`,
    onchange: () => onChosen(choice),
  });
  const label = el("label", { class: "base-panel__name", for: id }, TITLES[choice]);
  const element = el("div", { class: "base-panel__row" }, input, el("div", {}, label, described, part?.element));
  return { element, input, choice, part, describe: () => (described.textContent = text()) };
}

/** @param {(change: () => Promise<void>) => Promise<void>} attempt */
function consentPart(attempt) {
  const agree = el("button", {
    class: "button button--small",
    type: "button",
    onclick: () =>
      attempt(async () => {
        await chooseBaseMap("server", baseMap()?.server?.host);
        announce("Base map: tile server");
      }),
  });
  return {
    element: agree,
    show(/** @type {boolean} */ on) {
      agree.textContent = isPermitted() ? "Allow and load" : "Allow and reload the page";
      agree.hidden = !on || baseMap()?.choice === "server";
    },
  };
}

/** @param {(change: () => Promise<void>) => Promise<void>} attempt */
function filePart(attempt) {
  const state = el("p", { class: "base-panel__state" });
  const pick = el("input", { type: "file", accept: ".pmtiles", class: "visually-hidden", onchange: send });
  const upload = el("label", { class: "button button--small base-panel__upload" }, "Upload a file", pick);
  const removal = el("button", {
    class: "button button--small button--quiet",
    type: "button",
    onclick: () => attempt(forget),
  });
  removal.textContent = "Remove it";
  const element = el("div", { class: "base-panel__part" }, state, el("div", { class: "row" }, upload, removal), help());

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
      const { file, upload_mb: most } = /** @type {import("./basemap_choice.js").Config} */ (baseMap());
      element.hidden = !on;
      removal.hidden = !file?.own;
      state.textContent = file
        ? file.name || "The operator’s file"
        : `None yet. Up to ${most} MB; larger ones are set by the operator (CAIRN_TILES).`;
    },
  };
}

const forget = async () => setBaseMap(await del(`${baseMap()?.api}file/`));

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
