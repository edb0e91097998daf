/* The panel of one attack: its progress, its result, and a note that it reads the original. */

import { withQuery } from "../../core/address.js";
import { $, el } from "../../core/dom.js";
import { factList, fileLink, smallButton } from "../../core/elements.js";
import { capitalized, done, duration, metres, number, percent, queued } from "../../core/format.js";
import { assumptions, parametersOf, seriesName } from "./attack_form.js";

const WAITS = { queued: "", running: "Attacking" };

/** A headline as text: yes or no where it is whether one thing was found in one release. */
export function valueOf({ value, unit, share }, { series }) {
  if (value === null) return "none";
  if (share && series !== null) return value ? "yes" : "no";
  if (share) return percent(value);
  return unit === "m" ? metres(value) : `${number(value)}${unit ? ` ${unit}` : ""}`;
}

/** What changes the panel's parts; the rest is filled in. */
const shapeOf = (attack, onMap) => JSON.stringify([attack.id, attack.state, onMap]);

/**
 * A panel in `host`. `on`: {cancel, retry, close, remove, find} act on the attack shown.
 * Returns {show(attack, onMap), hide()}; `onMap` is true once there is something of it on the map.
 */
export function createAttackPanel(host, dataset, on) {
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
      const now = shapeOf(attack, onMap);
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
  const head = el(
    "div",
    { class: "attack__head" },
    el("h3", {}, `${attack.title}${which}`),
    smallButton("Close", "Close the attack", on.close),
  );
  return [
    head,
    el("p", { class: "small muted" }, parametersOf(attack)),
    el("p", { class: "attack__warning small" }, attack.warning),
    ...body(attack, onMap, on),
  ];
}

function body(attack, onMap, on) {
  if (attack.state in WAITS) {
    const bar = el("progress", { class: "progress", max: 1, "aria-label": attack.title });
    return [
      el("p", { dataset: { stateText: "" } }),
      bar,
      el("div", { class: "row" }, smallButton("Cancel", `Cancel ${attack.title}`, on.cancel)),
    ];
  }
  if (attack.state !== "done") {
    const why = attack.error ? `Failed: ${attack.error.message} ${attack.error.action}` : "Cancelled.";
    return [
      el("p", {}, why),
      el(
        "div",
        { class: "row" },
        smallButton("Retry", `Retry ${attack.title}`, on.retry),
        smallButton("Delete", `Delete ${attack.title}`, on.remove),
      ),
    ];
  }
  return result(attack, onMap, on);
}

function result(attack, onMap, on) {
  const file = (format, text) => fileLink(withQuery(attack.urls.data, { format }), text, `${attack.title} as ${text}`);
  return [
    el("p", {}, attack.sentence),
    factList(
      { class: "facts small" },
      attack.headlines.map((one) => [one.title, valueOf(one, attack)]),
    ),
    el("p", { class: "small muted" }, attack.note),
    el("details", { class: "small" }, el("summary", {}, "Assumed knowledge of the adversary"), assumptions(attack)),
    el(
      "div",
      { class: "row small" },
      onMap && smallButton("Show on the map", `Show on the map: ${attack.title}`, on.find),
      smallButton("Delete", `Delete ${attack.title}`, on.remove),
      el(
        "span",
        { class: "downloads attack__files" },
        file("json", "JSON"),
        attack.guesses_events && file("csv", "CSV"),
      ),
    ),
  ];
}
