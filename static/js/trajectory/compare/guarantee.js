/* The guarantee of one release: the sentence, what it assumes, what it does not cover. */

import { term } from "../../components/glossary.js";
import { el } from "../../core/dom.js";
import { list, quantity } from "../../core/elements.js";
import { metres, number } from "../../core/format.js";

// level -> the term of the glossary that explains it, and how it is called here
export const LEVELS = {
  landmark: ["landmark", "landmark privacy"],
  event: ["event-level", "event-level privacy"],
  user: ["user-level", "user-level privacy"],
  "w-event": ["w-event", "w-event privacy"],
};

const titledList = (title, items) => (items.length ? [el("h4", {}, title), list({}, items)] : []);

/** What a level within a radius means for odds. */
export function meaning({ epsilon, radius_m }) {
  const factor = Math.exp(epsilon);
  const times = factor < 1e6 ? number(factor) : `e to the ${number(epsilon)}`;
  return (
    `Had the protected events happened elsewhere, each up to ${metres(radius_m)} away, the odds of ` +
    `this very release would differ by a factor of at most ${times}; up to twice as far, by its ` +
    `square.`
  );
}

/** Show the guarantee of `release`, called `title`, in `host`. An opened explanation stays open. */
export function showGuarantee(host, release, title) {
  const open = host.querySelector("details")?.open ?? false;
  const { guarantee } = release;
  if (!guarantee) {
    host.replaceChildren(
      el("h3", {}, `${title}: NOT PRIVATE`),
      el(
        "p",
        {},
        `A seeded simulation (seed ${release.seed}): whoever knows the seed can remove the noise. ` +
          `It has no guarantee and must not be published.`,
      ),
    );
    return;
  }
  const level = LEVELS[guarantee.level];
  const radius = quantity(`radius_m:${release.id}`, metres(guarantee.radius_m));
  host.replaceChildren(
    el("h3", {}, `${title}: `, level ? term(...level) : guarantee.level, ", ", radius),
    el("p", {}, guarantee.statement),
    el(
      "details",
      { open },
      el("summary", {}, "Interpretation"),
      el("p", {}, meaning(guarantee)),
      titledList("Assumes", guarantee.assumptions),
      titledList("Does not cover", guarantee.caveats),
    ),
  );
}
