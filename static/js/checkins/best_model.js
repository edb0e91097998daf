/* Which model of a comparison of check-ins answers: as the release form forecasts hits, which costs nothing. */

import { answerOf, figure, showAnswer } from "../components/answer_card.js";
import { verdictRank } from "../components/verdict_text.js";
import { post } from "../core/api.js";
import { whole } from "../core/format.js";
import { gridOf } from "./grid_cells.js";

const MOST = 20; // models of a request

/**
 * The best of `forecasts`, each of the model of `releases` in its place: by verdict, then by hits; null for none known.
 *
 * @param {any[]} releases
 * @param {{hits: number | null, verdict: any}[]} forecasts
 */
export function bestOf(releases, forecasts) {
  const rows = releases.map((release, i) => ({
    release,
    verdict: forecasts[i].verdict,
    hits: forecasts[i].hits ?? -1,
  }));
  const known = rows.filter(({ hits }) => hits >= 0);
  known.sort((a, b) => verdictRank(a.verdict) - verdictRank(b.verdict) || b.hits - a.hits);
  return known[0] ?? null;
}

/** Show the answer of the models with the grid of `release`. @param {any} page @param {any} release */
export async function showBest({ dataset, releases, urls }, release) {
  const same = releases.filter((/** @type {any} */ one) => gridOf(one) === gridOf(release));
  const published = same.filter((/** @type {any} */ { seeded }) => !seeded);
  const some = (published.length ? published : same).slice(0, MOST);
  const mechanisms = some.map((/** @type {any} */ { spec }) => spec);
  const { public: free, mechanisms: forecasts } = await post(urls.expected, { dataset, mechanisms });
  const best = bestOf(some, forecasts);
  const { id } = best?.release ?? some[0];
  const figures = best
    ? [
        ...[figure(`hits:${id}`, whole(best.hits)), " of 1,000 next places are among ten proposed (HR@10); the "],
        ...["nearest ten cells, free and public, find ", figure("hits:public", whole(free))],
      ]
    : ["hits of models are not known: too few moves from cell to cell"];
  const answer = answerOf(best?.release ?? some[0], published.length);
  showAnswer({ ...answer, verdict: best?.verdict, figures }, urls.form);
}
