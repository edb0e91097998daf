/* What a spec comes to: its cells, as the engine expands them. Two specs are one experiment if these are the same. */

const MOST = 10_000;
const depth = (name) => Math.min(...name.split(",").map((path) => path.split(".").length));

/** A grid's axes in the engine's order: [name, values]. */
function axesOf(grid) {
  const before = (/** @type {[string, any]} */ [a], /** @type {[string, any]} */ [b]) =>
    depth(a) - depth(b) || (a < b ? -1 : 1);
  return Object.entries(grid ?? {}).sort(before);
}

function put(description, path, value) {
  const parents = path.split(".");
  const last = parents.pop();
  let place = description;
  for (const part of parents) place = place[part] ??= {};
  place[last] = structuredClone(value);
}

/** Every combination of a spec in the order of its table; throws where a spec is none. */
export function cellsOf({ base, grid }) {
  const axes = axesOf(grid);
  if (axes.reduce((product, [, values]) => product * values.length, 1) > MOST) throw new RangeError("too many cells");
  let cells = [structuredClone(base)];
  for (const [name, values] of axes) {
    const paths = name.split(",");
    cells = cells.flatMap((cell) =>
      values.map((value) => {
        const made = structuredClone(cell);
        paths.forEach((path, i) => put(made, path, paths.length > 1 ? value[i] : value));
        return made;
      }),
    );
  }
  return cells;
}

// One spelling of each description -----------------------------------------------------------

/** JSON with its names in order. */
export const inOneOrder = (value) => {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, inOneOrder(value[key])]),
  );
};

/** A description without the parameters that are as they are left out; `known` maps names to their fields. */
export function plain(description, known) {
  if (!description) return null;
  const fields = known.get(description.name) ?? [];
  const usual = ([name, value]) =>
    fields.some((field) => field.name === name && !field.required && field.default === value);
  return Object.fromEntries(Object.entries(description).filter((entry) => !usual(entry)));
}

function spelled({ release, landmarks, dummies, correlation, redraw, data, ...rest }, known) {
  const { mechanism, postprocess, ...more } = release ?? {};
  return inOneOrder({
    release: release
      ? {
          ...more,
          mechanism: plain(mechanism, known.mechanisms),
          postprocess: (postprocess ?? []).map((step) => plain(step, known.steps)),
        }
      : null,
    landmarks: plain(landmarks, known.landmarks),
    dummies: plain(dummies, known.dummies),
    correlation: correlation ? { states: 2, bound: "published", ...correlation } : null,
    redraw: redraw ?? false,
    data: plain(data, known.generators),
    ...rest,
  });
}

/** A metric by its name alone where nothing more is noted of it. */
export function shortMetric(metric, known) {
  if (typeof metric === "string") return metric;
  /** @type {any} */
  const short = plain(metric, known.measures);
  return Object.keys(short).length === 1 ? short.name : short;
}

/** Whether two specs are the same experiment: the same cells in the same order, along the same axes. */
export function same(one, other, known) {
  const canonical = (spec) => {
    const long = axesOf(spec.grid).filter(([, values]) => values.length > 1);
    const { repetitions, seed, common = true } = spec;
    const metrics = spec.metrics.map((metric) => inOneOrder(shortMetric(metric, known)));
    return JSON.stringify([
      repetitions,
      seed,
      common,
      metrics,
      long.map(([name]) => name),
      cellsOf(spec).map((cell) => spelled(cell, known)),
    ]);
  };
  return canonical(one) === canonical(other);
}
