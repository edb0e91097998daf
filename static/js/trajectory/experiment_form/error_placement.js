/* Errors of the API at the fields they name: grid.landmarks.share.2, base.release.mechanism.step_variance_m2, … */

const AXES = [
  "dummies.epsilon,release.mechanism.epsilon",
  "dummies.epsilon",
  "release.mechanism.epsilon",
  "release.mechanism.radius_m",
  "landmarks.share",
  "landmarks.distribution",
  "landmarks.distance_m",
  "release",
  "landmarks",
  "dummies",
  "correlation",
];

/** {axis, at, path} of "grid.AXIS.2.rest" and of "base.release.rest". */
function read(field) {
  const [root, ...rest] = (field ?? "").split(".");
  const text = rest.join(".");
  const axis = AXES.find((name) => text === name || text.startsWith(`${name}.`));
  if (root === "base") return axis ? { axis: rest[0], at: null, path: rest.slice(1) } : null;
  if (root !== "grid" || !axis) return null;
  const [at, ...path] = text.slice(axis.length + 1).split(".");
  return { axis, at: at === "" ? null : Number(at), path };
}

/** Show an error at its field; whether it had one. `form` is null where the spec is not the form's. */
export function placed({ field }, note, form, { data, releases, landmarks, dummies, correlation, measures, runs }) {
  const [root, ...rest] = (field ?? "").split(".");
  if (root === "preset" || root === "dataset") data.fail(rest.at(-1) ?? root, note);
  else if (!form) return false;
  else if (["repetitions", "seed"].includes(root)) return !runs.fail([{ field: root, message: note }]).length;
  else if (root === "metrics") measures.fail(rest.length ? Number(rest[0]) : null, rest.at(-1), note);
  else {
    const found = read(field);
    if (!found) return false;
    const { axis, at, path } = found;
    if (axis.startsWith("dummies.epsilon")) dummies.failLevel(at, note);
    else if (axis === "release.mechanism.epsilon") releases.failLevel(at, note);
    else if (axis === "release.mechanism.radius_m") releases.failRadius(at, note);
    else if (axis === "release") return releases.fail(at, path, note, form.release);
    else if (axis.startsWith("landmarks")) return landmarks.fail(at, axis.split(".")[1] ?? path.at(-1), note);
    else if (axis === "dummies") return dummies.fail(at, path.at(-1), note);
    else return correlation.fail(at, path.at(-1), note);
  }
  return true;
}
