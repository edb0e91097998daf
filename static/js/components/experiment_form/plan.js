/* What an experiment comes to, as the server reckons it: cells, work, where it runs, and how it will be drawn. */

import { swatch } from "../../core/swatch.js";
import { el } from "../../core/dom.js";
import { count, duration, whole } from "../../core/format.js";

const SHOWN = 9; // values of an axis that are named

export function where({ at_once, parts }) {
  if (at_once) return "It runs immediately.";
  if (parts <= 1) return "It runs in one part as soon as a worker is free.";
  return `It runs in about ${whole(parts)} parts, interleaved with other jobs.`;
}

function values({ values: all }, lineStyles) {
  const item = ({ label, mechanism }) => el("li.line", mechanism && swatch(lineStyles.get(mechanism) ?? null), label);
  const named = all.slice(0, SHOWN).map(item);
  return [...named, all.length > SHOWN && el("li.line.muted", `and ${whole(all.length - SHOWN)} more`)];
}

function axis(one, i, { along, marked }, lineStyles) {
  const lies =
    i === along
      ? marked
        ? "by the share of events that are landmarks"
        : one.log
          ? "horizontal axis, logarithmic"
          : "horizontal axis"
      : one.values.length > 1
        ? "one curve each"
        : "one value";
  const title = `${one.title}${one.symbol ? ` ${one.symbol}` : ""}${one.unit ? `, ${one.unit}` : ""}`;
  return el(
    "section.plan__axis",
    el("p", el("strong", title), el("span.muted.small", ` · ${lies}`)),
    el("ul.row.small", values(one, lineStyles)),
  );
}

/** The answer of plan/ as elements. */
export function planned(answer, lineStyles) {
  const { cells, repetitions, size_text: size, work_s, figure } = answer;
  return [
    el("p.plan__size", el("strong", count(cells, "cell")), ` × ${count(repetitions, "repetition")}`),
    el(
      "p.small.muted",
      `Each over ${size}. A cell is one combination of what you sweep; one that ` +
        `was computed before is not computed again.`,
    ),
    el("p.plan__work", "About ", el("strong", duration(work_s)), ` of work on one core. ${where(answer)}`),
    ...figure.axes.map((one, i) => axis(one, i, figure, lineStyles)),
    figure.axes.length === 0 && el("p.small.muted", "Nothing is swept: each measure is one number."),
    el(
      "p.small",
      el("span.muted", "Measured: "),
      figure.measures.map(({ title, unit }) => (unit ? `${title}, ${unit}` : title)).join("; "),
    ),
  ].filter(Boolean);
}

/** The two lines of the bar: how much there is to run, and how long that takes from when. */
export function barTexts({ cells, repetitions, work_s, at_once, ahead, workers }) {
  const waits = ahead ? `${count(ahead, "job")} waiting before it` : "starts when a worker is free";
  const queue = at_once ? "runs immediately" : workers ? waits : "no worker answers: it waits until one does";
  return {
    size: `${count(cells, "cell")} × ${count(repetitions, "repetition")}`,
    work: `about ${duration(work_s)} on one core · ${queue}`,
  };
}
