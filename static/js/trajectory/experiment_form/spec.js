/* Between what the form holds and an experiment's spec, both ways. What the form cannot hold is not bent to fit it. */

import { same } from "../../components/experiment_form/cells.js";

const LEVEL = "release.mechanism.epsilon";
const RADIUS = "release.mechanism.radius_m";
const SELECTION = "dummies.epsilon";
export const SHARED = `${SELECTION},${LEVEL}`; // the selection and the release divide one level
/** What can be swept; of two that begin alike the longer one is first. */
export const AXES = [
  ...[SHARED, SELECTION, LEVEL, RADIUS, "landmarks.share", "landmarks.distribution", "landmarks.distance_m"],
  ...["release", "landmarks", "dummies", "correlation"],
];

// From the form ------------------------------------------------------------------------------

/** The releases the form describes, in their order: [{mechanism: its number, after: the number of its steps}]. */
export const curves = ({ mechanisms, after }) =>
  after.flatMap(({ over }, j) => mechanisms.flatMap((_, i) => (over.includes(i) ? [{ mechanism: i, after: j }] : [])));

function releases({ mechanisms, levels, radii, after }) {
  const one = ({ mechanism: i, after: j }) => {
    const { name, ...own } = mechanisms[i];
    const { step } = after[j];
    return { mechanism: { name, epsilon: levels[0], radius_m: radii[0], ...own }, postprocess: step ? [step] : [] };
  };
  return curves({ mechanisms, after }).map(one);
}

const landmarkWays = {
  synthetic({ shares, distributions, more }) {
    const landmarks = { name: "synthetic", share: shares[0], distribution: distributions[0], ...more };
    return { landmarks, axes: { "landmarks.share": shares, "landmarks.distribution": distributions } };
  },
  "stay-points"({ distances, durations, more }) {
    const one = (distance_m, duration_s) => ({ name: "stay-points", distance_m, duration_s, ...more });
    if (durations.length > 1) return { whole: distances.map((distance, i) => one(distance, durations[i])) };
    return { landmarks: one(distances[0], durations[0]), axes: { "landmarks.distance_m": distances } };
  },
  marked: ({ methods }) => ({ whole: methods }),
};

/** The spec of what the form holds. */
export function toSpec({ release, landmarks, dummies, correlation, metrics, repetitions, seed, common }) {
  /** @type {Record<string, any>[]} */
  const [base, grid] = [{}, {}];
  const lay = (name, values) => {
    if (values.length > 1) grid[name] = values;
    else if (values.length && values[0] !== null) base[name] = values[0];
  };
  const sweep = (name, values) => values.length > 1 && (grid[name] = values);

  lay("release", releases(release));
  if (release.mechanisms.length) {
    sweep(LEVEL, release.levels);
    sweep(RADIUS, release.radii);
  }

  /** @type {any} */
  const way = landmarkWays[landmarks.kind]?.(landmarks) ?? { landmarks: { name: landmarks.kind, ...landmarks.more } };
  if (way.whole) lay("landmarks", way.whole);
  else base.landmarks = way.landmarks;
  Object.entries(way.axes ?? {}).forEach(([name, values]) => sweep(name, values));
  if (landmarks.redraw) base.redraw = true;

  const [epsilon] = dummies.levels;
  const methods = dummies.methods.map(({ name, ...own }) => ({ name, epsilon, ...own }));
  lay("dummies", [...(dummies.none ? [null] : []), ...methods]);
  if (dummies.methods.length && dummies.shared)
    grid[SHARED] = dummies.levels.map((level) => [level, release.levels[0] - level]);
  else if (dummies.methods.length) sweep(SELECTION, dummies.levels);

  const { smoothings, states, bound, diameter_m } = correlation;
  const more = { ...(states !== 2 && { states }), ...(bound !== "published" && { bound }) };
  const own = (smoothing) => (smoothing === null ? null : { smoothing, diameter_m, ...more });
  lay("correlation", smoothings.map(own));

  return { base, grid, repetitions, seed, metrics, common };
}

// To the form --------------------------------------------------------------------------------

const texts = (values) => [...new Set(values.map((value) => JSON.stringify(value)))];
const alike = (values, otherwise) => {
  const found = texts(values.filter((value) => value !== undefined));
  if (found.length > 1) throw new RangeError("differs");
  return found.length ? JSON.parse(found[0]) : otherwise;
};
const without = (description, ...names) =>
  Object.fromEntries(Object.entries(description).filter(([name]) => !names.includes(name)));

function readReleases(base, grid, usual) {
  const listed = grid.release ?? (base.release ? [base.release] : []);
  const pairs = grid[SHARED];
  const total = pairs && alike(pairs.map(([part, rest]) => Number((part + rest).toPrecision(12))));
  const each = (name) => listed.map(({ mechanism }) => mechanism[name]);
  const levels = pairs ? [total] : (grid[LEVEL] ?? [alike(each("epsilon"), usual.levels[0])]);
  const mechanisms = texts(listed.map(({ mechanism }) => without(mechanism, "epsilon", "radius_m")));
  const steps = texts(listed.map(({ postprocess }) => postprocess ?? []));
  /** @type {number[][]} */
  const over = steps.map(() => []);
  for (const { mechanism, postprocess } of listed) {
    const i = mechanisms.indexOf(JSON.stringify(without(mechanism, "epsilon", "radius_m")));
    over[steps.indexOf(JSON.stringify(postprocess ?? []))].push(i);
  }
  const chains = steps.map((text) => JSON.parse(text));
  if (chains.some((chain) => chain.length > 1)) throw new RangeError("several steps");
  const after = chains.map(([step], i) => ({ step: step ?? null, over: over[i] }));
  return {
    mechanisms: mechanisms.map((text) => JSON.parse(text)),
    levels,
    radii: grid[RADIUS] ?? [alike(each("radius_m"), usual.radii[0])],
    after: after.length ? after : usual.after.map(({ step }) => ({ step, over: [] })),
  };
}

function readLandmarks(base, grid, usual) {
  const redraw = base.redraw ?? false;
  const whole = grid.landmarks;
  const { name: kind, ...more } = whole ? whole[0] : base.landmarks;
  if (kind === "synthetic" && !whole) {
    const shares = grid["landmarks.share"] ?? [more.share];
    const distributions = grid["landmarks.distribution"] ?? [more.distribution ?? "uniform"];
    return { kind, shares, distributions, more: without(more, "share", "distribution"), redraw };
  }
  if (kind === "stay-points") {
    const distances = whole?.map(({ distance_m }) => distance_m) ?? grid["landmarks.distance_m"] ?? [more.distance_m];
    const durations = whole?.map(({ duration_s }) => duration_s) ?? [more.duration_s];
    return { kind, distances, durations, more: without(more, "distance_m", "duration_s"), redraw };
  }
  return { kind: usual.kinds.includes(kind) ? kind : null, more, redraw };
}

function readDummies(base, grid, usual) {
  const listed = grid.dummies ?? [base.dummies ?? null];
  const methods = listed.filter(Boolean);
  const pairs = grid[SHARED];
  const epsilons = methods.map(({ epsilon }) => epsilon);
  const levels = pairs?.map(([part]) => part) ?? grid[SELECTION] ?? [alike(epsilons, usual.levels[0])];
  const own = methods.map((method) => without(method, "epsilon"));
  return { none: listed.includes(null), methods: own, levels, shared: Boolean(pairs) };
}

function readCorrelation(base, grid, usual) {
  const listed = grid.correlation ?? [base.correlation ?? null];
  const known = listed.filter(Boolean);
  const of = (name, usually) =>
    alike(
      known.map((correlation) => correlation[name] ?? usually),
      usually,
    );
  const apart = known.map(({ diameter_m }) => diameter_m); // null for one radius
  return {
    smoothings: listed.map((one) => (one ? one.smoothing : null)),
    ...{ states: of("states", 2), bound: of("bound", "published") },
    diameter_m: alike(apart, usual.diameter_m),
  };
}

/** Whether all it names is listed, each measure once. */
function listed({ release, dummies, metrics }, known) {
  const measures = metrics.map((metric) => metric.name ?? metric);
  const steps = release.after.flatMap(({ step }) => (step ? [step.name] : []));
  const named = [
    ["mechanisms", release.mechanisms.map(({ name }) => name)],
    ["steps", steps],
    ["dummies", dummies.methods.map(({ name }) => name)],
    ["measures", measures],
  ];
  return (
    new Set(measures).size === measures.length &&
    named.every(([kind, names]) => names.every((name) => known[kind].has(name)))
  );
}

/**
 * What the form holds for a spec; null where it cannot hold it, so that nothing of it is lost. `usual` is the form's
 * own start, for what the spec leaves open; `known` the fields of all that is listed, by kind and name.
 */
export function toForm(spec, usual, known) {
  try {
    const { base, grid = {}, repetitions, seed, metrics, common = true } = spec;
    if (Object.keys(grid).some((name) => !AXES.includes(name))) return null;
    const rest = {
      release: readReleases(base, grid, usual.release),
      dummies: readDummies(base, grid, usual.dummies),
      correlation: readCorrelation(base, grid, usual.correlation),
      metrics: [...metrics],
      repetitions,
      seed,
      common,
    };
    const marked = { kind: "marked", methods: grid.landmarks ?? [base.landmarks], redraw: false };
    const forms = [readLandmarks(base, grid, usual.landmarks), marked].map((landmarks) => ({ ...rest, landmarks }));
    return forms.find((form) => form.landmarks.kind && listed(form, known) && same(spec, toSpec(form), known)) ?? null;
  } catch {
    return null; // it is not what a spec is like, or more than this form shows
  }
}
