/* ε on the map: a slider of levels, and on the map what a release of that level would draw, simulated. */

import { withQuery } from "../../core/address.js";
import { post } from "../../core/api.js";
import { $, announce, el } from "../../core/dom.js";
import { count, metres, number } from "../../core/format.js";
import { titleParts, within } from "../../core/level.js";
import { positionsOf } from "../../map/positions.js";
import { unrolled } from "../../map/projection.js";
import { endsOf, eventsOf, homeTicks, levelAt, levelTicks, shareOf, Simulation, STEPS } from "./simulation.js";

export const CLOUD = "simulation";
const SEED = 1; // of a simulation that is kept
const AT_ONCE = 100_000; // events that are simulated before the slider is touched: it takes 0.1 s
const WORLD = /** @type {Bounds} */ ([-180, -60, 180, 75]);
const tick = ({ share }, ...text) => el("span", { style: { left: `${100 * share}%` } }, ...text);

/**
 * The panel in `host`. `known()` is the present state of the page; `on.changed()` after it began or ended, `on.frame()`
 * when another cloud is to be drawn, `on.join(release)` with a simulation that is kept. `page` has the radius of the
 * form and its address.
 */
export class DragPanel {
  /** @type {any} what is simulated: {layer, original, home, simulation, ends, radiusM} */
  #of = null;
  /** @type {any} the cloud that is drawn, or null while the release itself is */
  #cloud = null;
  #epsilon = 1;
  /** @type {number | null} */
  #frame = null;
  #current = () => this.#cloud;

  constructor(host, { bounds, page, known, on }) {
    this.part = (name) => $(`[data-drag-${name}]`, host);
    this.page = page;
    this.known = known;
    this.on = on;
    this.middle = unrolled(bounds ?? WORLD).middle;
    this.slider = this.part("slider");
    this.usual = this.part("text").textContent;
    this.slider.addEventListener("input", () => (this.#frame ??= requestAnimationFrame(() => this.#draw())));
    this.slider.addEventListener("change", () => this.#rest());
    this.part("stop").addEventListener("click", () => {
      this.slider.focus();
      this.stop();
      announce("The release is shown again.");
    });
    this.part("keep").addEventListener("click", () => {
      const { mechanism, postprocess } = this.#of.layer.release;
      const of = { dataset: page.dataset, ...(page.landmark_set && { landmark_set: page.landmark_set }) };
      const spec = { ...of, mechanism: { ...mechanism, epsilon: this.#epsilon }, postprocess, seed: SEED };
      on.attempt(async () => on.join(await post(page.urls.releases, spec)));
      this.slider.focus();
      this.stop();
    });
  }

  /** Begin with the release that is looked at, unless it is the one already. */
  fill() {
    const now = this.known();
    const { active: layer, original, home } = now;
    const ready = Boolean(original && layer?.drawn && layer.budgetAt(now.cursor.series, 0) !== null);
    this.slider.disabled = !ready;
    const of = this.#of;
    if (!ready) return;
    if (of?.layer === layer && of.original === original && of.home === home) {
      this.#showLevels(); // another release may be done
      return;
    }
    this.stop();
    const { epsilon, radius_m: radiusM } = layer.release.mechanism;
    const ends = endsOf(epsilon);
    this.#of = { layer, original, home, ends, radiusM };
    this.slider.value = String(Math.round(STEPS * shareOf(epsilon, ends)));
    this.#showLevels();
    this.#showHomes(original.n <= AT_ONCE);
    this.#describe(epsilon);
  }

  /** The ticks of levels with the marks of releases within the same radius, and what the simulation leaves out. */
  #showLevels() {
    const { layer, ends, radiusM } = this.#of;
    const { layers, titled } = this.known();
    const levels = layers
      .filter(({ done, release }) => done && release.seed === null && release.mechanism.radius_m === radiusM)
      .map(({ release }) => release.mechanism.epsilon);
    const marks = [...new Set(levels)]
      .map((level) => ({ level, share: shareOf(level, ends) }))
      .filter(({ share }) => share >= 0 && share <= 1);
    const smoothed = layer.release.postprocess.length ? ", before smoothing" : "";
    this.part("unit").textContent = `ε per ${metres(radiusM)}`;
    this.part("levels").replaceChildren(
      ...levelTicks(ends).map((one) => tick(one, one.text)),
      ...marks.map((one) => tick(one, el("i", { class: "drag__mark" }))),
    );
    const mark = () => el("i", { class: "drag__mark" });
    const released = ` released: ε ${marks.map(({ level }) => number(level)).join(", ")}. `;
    const sorts = this.#isJoint() ? "A joint draw of the landmarks, and independent" : "Independent";
    const rest = ` draws at the shares of ${titleParts(titled(layer))[0]}${smoothed}, from one seed.`;
    this.part("note").replaceChildren(...(marks.length ? [mark(), released] : []), sorts, rest);
  }

  /** The ticks of home, if the simulation is there, or may be made now. @param {boolean} simulated */
  #showHomes(simulated) {
    const away = (level) => this.#simulation().guessAt(level)?.away_m ?? 0;
    const ticks = simulated && this.#of.home?.visits ? homeTicks(this.#of.ends, away) : [];
    this.part("home").hidden = !ticks.length;
    this.part("homes").replaceChildren(...ticks.map((one) => tick(one, metres(one.metres), el("br"), one.name)));
  }

  /** Whether the landmarks of the release have a joint draw. */
  #isJoint() {
    return this.page.joint.includes(this.#of.layer.release.mechanism.name);
  }

  /** Made when it is looked at first: it takes a while of many events. */
  #simulation() {
    const { layer, original, home, radiusM } = this.#of;
    const positions = positionsOf(original, this.middle);
    const { series } = this.known().cursor;
    const marks = this.#isJoint() ? layer.landmarksOf(series, original.n) : null;
    this.#of.simulation ??= new Simulation({
      n: original.n,
      place: (event) => positions.place(event),
      budget: (event) => layer.budgetAt(series, event),
      epsilon: layer.release.mechanism.epsilon,
      radiusM,
      visits: home ? eventsOf(home.runs) : [],
      joint: (event) => marks?.[event] === 1,
    });
    return this.#of.simulation;
  }

  /** What the slider is at, for screen readers: the same numbers as beside the title. */
  #describe(/** @type {number} */ level, /** @type {any} */ found = null) {
    const parts = [`ε ${number(level)} per ${metres(this.#of.radiusM)}`];
    if (found) parts.push(`half of the draws within ${metres(found.typical_m)}`);
    if (found?.guess) parts.push(`home within ${metres(found.guess.away_m)}`);
    this.slider.setAttribute("aria-valuetext", parts.join(", "));
    return parts;
  }

  #draw() {
    this.#frame = null;
    const { ends, layer, home } = this.#of;
    this.#epsilon = levelAt(Number(this.slider.value) / STEPS, ends);
    const found = this.#simulation().at(this.#epsilon);
    const [level, ...rest] = this.#describe(this.#epsilon, found);
    const text = this.part("text");
    if (!this.#cloud) text.replaceChildren(el("b", {}, " "), " ");
    text.firstChild.firstChild.data = level;
    text.lastChild.data = ` ${rest.join(", ")}`;
    const began = !this.#cloud;
    if (began && this.#of.original.n > AT_ONCE) this.#showHomes(true);
    this.#cloud = {
      ...found,
      colour: this.known().lineStyles.get(layer.id)?.colour,
      texts: {
        truth: `Home, ${count(home?.visits ?? 0, "event")}`,
        guess: found.guess ? `Best guess of home: ${metres(found.guess.away_m)} off` : "",
        reach: `half within ${metres(found.typical_m)}`,
      },
    };
    if (began) this.on.changed();
    else this.on.frame();
  }

  /** Where the slider rests: a release of that level may be made. */
  #rest() {
    if (this.#frame !== null) {
      cancelAnimationFrame(this.#frame); // of a key the change comes before the frame
      this.#draw();
    }
    const { page } = this;
    const form = this.part("form");
    const level = within(this.#epsilon, this.#of.radiusM, page.radius_m);
    this.#offer(true);
    form.href = withQuery(page.urls.form, {
      ...(page.landmark_set && { landmark_set: page.landmark_set }),
      epsilon: Number(level.toPrecision(6)),
    });
    form.textContent = `New release at ε ${number(this.#epsilon)}`;
    this.on.changed();
  }

  /** Show or hide what can be done with the level. @param {boolean} shown */
  #offer(shown) {
    for (const name of ["form", "stop", "keep"]) this.part(name).hidden = !shown;
  }

  /** Draw the release again. */
  stop() {
    if (!this.#cloud) return;
    this.#cloud = null;
    this.#offer(false);
    this.part("text").textContent = this.usual;
    this.on.changed();
  }

  /** Whether a layer is not drawn, as the cloud is drawn instead of it. */
  replaces(layer) {
    return this.#cloud !== null && this.#of.layer === layer;
  }

  /** What lies above the lines: the cloud, while there is one. */
  marks() {
    if (!this.#cloud) return [];
    const title = `Dragged, ε ${number(this.#epsilon)}`;
    const facts = "simulated, drawn instead of the release";
    const style = { colour: this.#cloud.colour };
    return [{ id: CLOUD, kind: "cloud", title, facts, style, count: this.#cloud.x.length, source: this.#current }];
  }
}
