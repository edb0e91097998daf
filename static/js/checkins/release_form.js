/* The release form of check-ins: hits of models beside those of the public baseline, on a grid chosen on a map. */

import { showScale, span } from "../components/release_form/axis.js";
import { precisionText, quotedKind } from "../components/release_form/quoted_form.js";
import { createLevel } from "../components/release_form/level_inputs.js";
import { epsilonText } from "../components/release_form/release_form.js";
import { isGiven } from "../components/number_field.js";
import { verdictText } from "../components/verdict_text.js";
import { $, el } from "../core/dom.js";
import { quantity } from "../core/elements.js";
import { metres, whole } from "../core/format.js";
import { distanceM } from "../map/projection.js";

const NEAREST = { colour: "--muted", dash: "6 3" };
const SIDES = ["west", "south", "east", "north"];

/** A hit rate of so many thousandths: .462. @param {number} hits */
export const rate = (hits) => (hits / 1000).toFixed(3).replace(/^0/, "");

/** The same with a sign, of a difference: +.015, −.117. @param {number} hits */
export const signed = (hits) => (hits ? `${hits < 0 ? "−" : "+"}${rate(Math.abs(hits))}` : ".000");

const hitsOf = (name, hits) => quantity(`hits:${name}`, whole(hits));
const rateOf = (name, hits) => quantity(`hit_rate:${name}`, rate(hits));

/** The answer in a line, of the best row, null for none. */
export function answerText(best, { public: nearest, mechanisms }) {
  if (nearest === null)
    return [
      el("strong", "No verdict: no user moves from cell to cell in this box"),
      el("span", "choose another box at “Places”, or on the map"),
    ];
  const isKnown = mechanisms.some(({ hits }) => hits !== null);
  if (!best)
    return [
      el("strong", isKnown ? "No model is usable at this level" : "No verdict: the hits of models are not known"),
      el("span", "the nearest ten cells, free and public, find ", hitsOf("public", nearest), " of 1,000 next places"),
    ];
  return [
    el("strong", `Usable: ${best.title}`),
    el(
      "span",
      ...[
        hitsOf(best.key, best.found.hits),
        " of 1,000 next places are among ten proposed; the nearest ten cells, free ",
      ],
      ...["and public, find ", hitsOf("public", nearest)],
    ),
  ];
}

/** The rule of the verdicts, and what decided between the best `rows`, which are sorted. */
export function ruleText({ usable_gain: gain }, best, rows) {
  const rule = [
    el("strong", "Rule"),
    el("span", `usable: above the public baseline by more than ${rate(gain)}. HR@10 reads the data: owner only.`),
  ];
  if (!best) return rule;
  const next = rows.find((row) => row !== best && row.found?.verdict?.name === "usable");
  const apart = next && best.found.hits - next.found.hits;
  const tie = apart < gain ? `ties with ${next.title} (${rate(apart)} apart); it finds the most` : "it finds the most";
  const why = `${tie} of ${rows.length} models fitted to your check-ins`;
  return [...rule, el("p", el("strong", `Why ${best.title}`), el("span", why))];
}

const isRecord = ({ fields }) => fields.values().privacy_unit === "record";

/** The guarantee of a model, before and after the factor of odds. */
export function short(row) {
  const { relation } = row.fields.values();
  const what = isRecord(row) ? "one check-in" : "one person’s whole history";
  const change = relation === "replace-one" ? "replaced by another" : "added or removed";
  return [
    `If ${what} is ${change}, the probability of this model, and of any proposal from it, changes by a factor of at ` +
      "most ",
    ".",
  ];
}

/** How large the cells of a box are, "Cells 0.53 × 0.56 km"; "" where it is none. */
export function cellsText({ west, south, east, north, side }) {
  if (![west, south, east, north, side].every(isGiven) || !(east > west && north > south && side >= 1)) return "";
  const wide = distanceM(west, south, west + (east - west) / side, south);
  const high = distanceM(west, south, west, south + (north - south) / side);
  return `Cells ${metres(wide)} × ${metres(high)}. They are published.`;
}

/** What components/release_form/release_form.js takes of the check-ins of a page; `boxMap` of components/box_map.js. */
export function checkinsKind(page, boxMap) {
  return quotedKind(page, {
    noun: "model",
    unusable: "Raise ε or take fewer cells, or tick one all the same.",
    accepted: { bodyOf: (/** @type {number} */ accepted) => ({ accepted }), none: "the model finds fewer at any ε" },
    free: { title: "Nearest ten cells", lineStyle: NEAREST, figureOf: ({ public: hits }) => hits && -hits },
    figureOf: ({ hits }) => (hits === null ? Infinity : -hits),
    isApart: isRecord,
    apart: "Weaker promise: each check-in alone",
    titleOf: (row) => `${row.mechanism.title}${isRecord(row) ? " by check-in" : ""}`,
    levelText: epsilonText,
    short,
    uncovered: () => [
      "Habits that many people share: the model is made to show them.",
      "What a person types in to get a proposal.",
    ],
    beside: () => (boxMap.fromData() ? { box_from_data: true } : {}),
    createLevel: ({ onChange }) =>
      createLevel(["contributions", ...SIDES, "side"], {
        onChange,
        show(values) {
          const { side, ...box } = values;
          boxMap.show(box, Number.isInteger(side) && side > 0 ? side : 1);
          $("[data-side-text]").textContent = isGiven(side) ? `× ${whole(side)}` : "";
          $("[data-cells-text]").textContent = cellsText(values);
        },
      }),
    show: (found, rows) => showHits(found, rows),
  });
}

/** Why the hits of a model are not known: they are of a person who was held out. */
const unknownText = ({ runs }) => `not known: ${runs ? "too few moves" : "one person, or too large"}`;

/** Fill the rows with `found`, and return the answer and the rule. */
function showHits(found, rows) {
  const { public: nearest, without_noise: without } = found;
  const hits = rows.rows.map((row) => row.found?.hits ?? 0);
  const axis = { least: 0, most: 1.12 * Math.max(100, ...hits, nearest ?? 0, without ?? 0), isLinear: true };
  for (const { key, found: own, lineStyle, fill, figures } of rows.rows) {
    if (!own) continue;
    figures.textContent = precisionText(own.forecast);
    const text = verdictText(own.verdict) || (nearest === null ? "–" : unknownText(own.forecast));
    if (own.hits === null || nearest === null) fill(["–", "–", [], text], own.verdict);
    else {
      const off = 1000 * (own.forecast.spread ?? 0);
      const [from, to] = [own.hits - off, own.hits + off];
      const bar = span(axis, { from, to, dot: own.hits, ticks: [from, to] }, { ...lineStyle, dash: "" });
      fill([rateOf(key, own.hits), signed(own.hits - nearest), bar, text], own.verdict);
    }
  }
  const black = { ...NEAREST, colour: "--foreground" };
  const dot = nearest !== null && span(axis, { from: nearest, to: nearest, dot: nearest, ticks: [] }, black);
  rows.free.fill([...(dot ? [rateOf("public", nearest), "–", dot] : ["–", "–", []]), "public baseline, ε 0, free"]);
  const shaded = nearest === null ? null : [null, nearest];
  showScale(rows.table, $("[data-errors-scale]"), axis, marksOf(found, axis.most), shaded);
  const [best, strong] = [rows.best(), rows.offered().filter((row) => !isRecord(row))];
  const todo = found.mechanisms.some((one) => one.hits !== null) ? undefined : "Tick one all the same.";
  const unusable = nearest === null ? "Choose the places that the check-ins are of." : todo;
  return { answer: answerText(best, found), rule: ruleText(found, best, strong), unusable };
}

/** @returns {import("../components/release_form/axis.js").Mark[]} */
function marksOf({ public: nearest, without_noise: without }, most) {
  const step = most > 500 ? 200 : 100;
  const noiseless = {
    name: "hit_rate:without_noise",
    title: "without noise",
    value: without,
    text: rate(without ?? 0),
  };
  const isApart = Math.abs((without ?? 0) - (nearest ?? 0)) > most / 5;
  const tenths = Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => {
    const text = String((i * step) / 1000).replace(/^0\./, ".");
    return { name: text, title: "", value: i * step, text, isPlain: true, width: 30 };
  });
  const known = { name: "hit_rate:public", title: "public", value: nearest, text: rate(nearest ?? 0), isAlways: true };
  return [
    ...(nearest === null ? [] : [known]),
    ...(without === null ? [] : [{ ...noiseless, isAlways: isApart, width: 76 }]),
    ...tenths,
  ];
}
