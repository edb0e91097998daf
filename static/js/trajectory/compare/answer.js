/* The answer of the comparison: which of the releases can be used, what it costs, and what can be done with it. */

import { el } from "../../core/dom.js";
import { quantity } from "../../core/elements.js";
import { count, metres } from "../../core/format.js";
import { titleParts } from "../../core/level.js";
import { swatch } from "../../components/swatch.js";
import { verdictText } from "../../components/verdict_text.js";
import { homeGuess } from "./home.js";
import { bestOf } from "./opening.js";

const ANSWERS = ["usable", "coarse"];
const bold = (name, text) => el("b", {}, quantity(name, text));

/** What averaging the visits gives away of home; nothing while it is not known. */
function homeLine({ layer, original, home }) {
  const away = home?.visits && original ? homeGuess(original, layer, home.runs) : null;
  if (away === null) return [];
  const exposed = away < layer.release.owner_view.median_error_m;
  const [sign, text] = exposed
    ? ["⚠\ufe0e", `${home.visits === 1 ? "gives" : "give"} it away to`]
    : ["●", `${home.visits === 1 ? "places" : "place"} it`];
  const visits = count(home.visits, "event");
  const figure = bold(`home_guess_m:${layer.id}`, metres(away));
  return [el("p", {}, `${sign} home: ${visits} ${text} `, figure, exposed ? "." : " off.")];
}

/** The one thing to do next: what can be used is published or explained, else another release is made. */
function next({ urls }, usable, title, form) {
  const link = (href, text, name) => el("a", { class: "button button--small", href, "aria-label": name }, text);
  if (usable && urls.publish) return link(urls.publish, "Publish", `Publish ${title}`);
  if (usable) return link(urls.explain, "Explain", `Explain ${title}`);
  return link(form, "Make another release", null);
}

/** Where the newest release of each title is compared, not the requested ones alone. */
function allOf({ urls, landmark_set }) {
  const query = landmark_set ? `?landmark_set=${landmark_set}` : "";
  return el("a", { href: urls.compare + query }, "compare with the others");
}

/**
 * Show in `host` which of `layers` answers. `known` = {layers, lineStyles, titled, original, home}, `home` as the API
 * has it; `page` has the address of the form for another release, and how many `comparable` releases there are.
 */
export function showAnswer(host, known, page) {
  const { layers, lineStyles, titled } = known;
  const best = bestOf(layers.map(({ release }) => release));
  const layer = layers.find(({ release }) => release === best);
  if (!layer?.release.owner_view) {
    host.replaceChildren(el("p", { class: "muted" }, "No release is finished yet."));
    return;
  }
  const { release } = layer;
  const { verdict, owner_view: errors } = release;
  const usable = ANSWERS.includes(verdict?.name) && release.seed === null;
  const [name, level = ""] = titleParts(titled(layer));
  const many = layers.filter((one) => one.done && one.release.seed === null).length;
  const others = page.comparable > layers.length;
  /** @type {(string | Node)[]} */
  const of = [many > 1 || others ? `best of ${many}${others ? " shown" : ""}` : ""];
  if (others && page.requested.length > 1) of.push(" · ", allOf(page));
  const made = el(
    "div",
    {},
    el(
      "div",
      { class: "answer__head line" },
      swatch(lineStyles.get(layer.id)),
      el("h2", {}, usable ? name : `None can be used, best is ${name}`),
      el("span", { class: "small muted" }, ...(release.seed === null ? of : ["a simulation"])),
    ),
    el(
      "p",
      {},
      el("b", {}, `${verdictText(verdict)}:`),
      " half of the events within ",
      bold(`median_error_m:${release.id}`, metres(errors.median_error_m)),
      ", 95\u202f% within ",
      bold(`p95_error_m:${release.id}`, metres(errors.p95_error_m)),
      ". ",
      el("span", { class: "muted" }, level),
    ),
    el(
      "div",
      { class: "answer__next" },
      ...homeLine({ ...known, layer }),
      next(release, usable, titled(layer), page.urls.form),
    ),
  );
  if (made.innerHTML !== host.innerHTML) host.replaceChildren(...made.childNodes); // or it would be announced again
}
