/* What an experiment comes to, in the two lines of its bar. */

import { count, duration } from "../../core/format.js";

/** The two lines of the bar: how much there is to run, and how long that takes from when. */
export function barTexts({ cells, repetitions, work_s, at_once, ahead, workers }) {
  const waits = ahead ? `${count(ahead, "job")} waiting before it` : "starts when a worker is free";
  const queue = at_once ? "runs immediately" : workers ? waits : "no worker answers: it waits until one does";
  return {
    size: `${count(cells, "cell")} × ${count(repetitions, "repetition")}`,
    work: `about ${duration(work_s)} on one core · ${queue}`,
  };
}
