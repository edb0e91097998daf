/* The release form of count streams: errors in counts and relative errors beside those of publishing zeros. */

import { logarithmicAxis, showScale, span } from "../components/release_form/axis.js";
import { precisionText, quotedKind } from "../components/release_form/quoted_form.js";
import { createLevel } from "../components/release_form/level_inputs.js";
import { epsilonText } from "../components/release_form/release_form.js";
import { isGiven } from "../components/number_field.js";
import { verdictText } from "../components/verdict_text.js";
import { $, el } from "../core/dom.js";
import { quantity } from "../core/elements.js";
import { count, number, whole } from "../core/format.js";
import { counts, relative } from "./error_text.js";

const ZEROS = { colour: "--muted", dash: "2 3" };

const errorOf = (key, figure, forecast) => quantity(`${figure}:${key}`, counts(forecast[figure]));

/** The answer in a line, of the best of `many` rows, null for none, beside the ARE of publishing zeros. */
export function answerText(best, zeros, many) {
  if (zeros === null) return [el("strong", "No verdict: there are no counts.")];
  if (!best)
    return [
      el("strong", "No release is usable at this level"),
      el("span", "raise ε, shorten the window or sum dimensions; publishing zeros has an ARE of ", zerosAre(zeros)),
    ];
  const { key, title, found: own } = best;
  return [
    el("strong", `Usable: ${title}`),
    el(
      "span",
      ...[
        "half of the counts within ",
        errorOf(key, "typical_error", own.forecast),
        " of the truth, 95\u202f% within ",
      ],
      ...[errorOf(key, "p95_error", own.forecast), `. Least ARE of ${many} mechanisms on your counts: `],
      ...[quantity(`are:${key}`, relative(own.forecast.are)), ", zeros ", zerosAre(zeros)],
    ),
  ];
}

const zerosAre = (are) => quantity("are:zeros", relative(are));

/** The rule of the verdicts, with the bounds of the data and the floor of what ARE divides by. */
export const ruleText = (rules, floor) =>
  rules
    ? [
        el("strong", "Rule, by ARE"),
        el("span", `usable: up to ${relative(rules.usable)}`),
        el("span", "coarse: better than zeros, ", zerosAre(rules.coarse)),
        el("span", `Floor of the ARE: ${floor}`),
      ]
    : [];

/** What is not covered, as ε. */
export function uncovered({ epsilon, window, sensitivity }, { timestamps, step }) {
  const windows = Math.ceil(timestamps / window);
  const [one, three, total] = [epsilon, 3 * epsilon, windows * epsilon].map((level) => `ε ${number(level)}`);
  const more = `A person who changes ${whole(3 * sensitivity)} in one ${step}: ${three} instead of ${one.slice(2)}.`;
  const all = `All ${count(timestamps, step)} together: up to ${total}, ${count(windows, "window")}.`;
  return windows > 1 ? [more, all] : [more];
}

/** The guarantee of a release, before and after the factor of odds. */
export const short = ({ window, sensitivity }, step) => [
  `In any ${window === 1 ? `one ${step}` : `${count(window, step)} in a row`}, a person who changes the counts ` +
    `of one ${step} by at most ${whole(sensitivity)} in sum moves the odds of everything published by at most a ` +
    "factor of ",
  ".",
];

/** What components/release_form/release_form.js takes of the count stream of a page; `preview` of count_preview.js. */
export function streamKind(page, preview) {
  const { timestamps, step } = page;
  return quotedKind(page, {
    noun: "release",
    unusable: "Raise ε, shorten the window, or tick one all the same.",
    accepted: {
      bodyOf: (/** @type {number} */ accepted) => ({ accepted }),
      none: "repeated or averaged counts alone are off by more",
    },
    free: { title: "Publish zeros", lineStyle: ZEROS, figureOf: ({ zeros }) => zeros.are },
    figureOf: ({ forecast }) => forecast.are ?? Infinity,
    isApart: ({ canTick }) => !canTick,
    apart: "No guarantee for windows: simulation only",
    levelText: ({ epsilon, window }) =>
      [epsilonText({ epsilon }), isGiven(epsilon) && isGiven(window) && ` in any ${count(window, step)}`]
        .filter(Boolean)
        .join(""),
    uncovered: (values) => uncovered(values, { timestamps, step }),
    short: (row, values) => short(values, step),
    createLevel: ({ onChange }) =>
      createLevel(["window", "sensitivity"], {
        onChange,
        show: ({ epsilon, window }) => {
          const known = isGiven(epsilon) && isGiven(window);
          $("[data-window-text]").textContent = known ? `Any ${count(window, step)} in a row: at most ε.` : "";
        },
      }),
    bar: (state, chosen) => preview.follow(chosen),
    show(found, rows, values) {
      preview.show(rows, values);
      return showCounts(found, rows, page.floor);
    },
  });
}

/** Fill the rows with `found`, and return the answer and the rule. */
function showCounts({ zeros, rules, mechanisms }, rows, floor) {
  const each = [zeros, ...mechanisms.map(({ forecast }) => forecast)];
  const axis = logarithmicAxis(each.flatMap((one) => [one.typical_error, one.p95_error]));
  const cells = (key, forecast, lineStyle) => {
    if (forecast.are === null) return ["–", "–", [], "–"];
    const { typical_error: typical, p95_error: p95 } = forecast;
    return [
      errorOf(key, "typical_error", forecast),
      errorOf(key, "p95_error", forecast),
      span(axis, { from: typical, to: p95, dot: typical, ticks: [p95] }, lineStyle),
      quantity(`are:${key}`, relative(forecast.are)),
    ];
  };
  const known = zeros.are !== null;
  for (const { key, found, lineStyle, fill, figures } of rows.rows) {
    if (!found) continue;
    const text = verdictText(found.verdict) || (known ? "not known: too large" : "–");
    fill([...cells(key, found.forecast, lineStyle), text], found.verdict);
    figures.textContent = precisionText(found.forecast);
  }
  rows.free.fill([...cells("zeros", zeros, ZEROS), "baseline, ε 0"]);
  showScale(
    rows.table,
    $("[data-errors-scale]"),
    axis,
    marksOf(zeros, axis),
    known ? [zeros.typical_error, null] : null,
  );
  $("[data-count-facts]").replaceChildren(
    ...(known ? [" · typical count ", errorOf("zeros", "typical_error", zeros)] : []),
  );
  return { answer: answerText(rows.best(), zeros.are, rows.tickable().length), rule: ruleText(rules, floor) };
}

function marksOf(zeros, axis) {
  const marks = [
    { name: "typical_error:zeros", title: "typical count", value: zeros.typical_error, isAlways: true, width: 74 },
    { name: "p95_error:zeros", title: "19 of 20 counts", value: zeros.p95_error, width: 88 },
    { name: "10", title: "error of", value: 10, isPlain: true, width: 70 },
  ];
  const inAxis = ({ value }) => value !== null && value >= axis.least && value <= axis.most;
  return marks.filter(inAxis).map((mark) => ({ ...mark, text: counts(mark.value) }));
}
