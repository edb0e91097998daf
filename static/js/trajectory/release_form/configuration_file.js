/* The form as a file and back: a list of release descriptions, just as the API takes and gives them. */

/** The text of a configuration file for `specs` = [{mechanism, postprocess?, seed?}]. */
export const asText = (specs) => `${JSON.stringify({ releases: specs }, null, 2)}\n`;

const same = (specs, part) => specs.every((spec) => JSON.stringify(part(spec)) === JSON.stringify(part(specs[0])));

/**
 * What the form shows for a configuration file, or for one release as GET /api/v1/releases/{id}/ reports it:
 * {level, releases: [{mechanism, postprocess}], seed}. Throws an Error that names what is wrong.
 */
export function parse(text, { mechanisms, steps, common }) {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Error("This file is not JSON.");
  }
  const specs = Array.isArray(found?.releases) ? found.releases : [found];
  const object = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  if (!specs.length || !specs.every((spec) => object(spec) && object(spec.mechanism)))
    throw new Error("This file describes no releases: it has no “mechanism”.");
  const shared = ({ mechanism }) => common.map((name) => mechanism[name]);
  if (!same(specs, shared)) throw new Error("Its releases differ in level or radius; this form accepts one of each.");
  if (!same(specs, (spec) => spec.seed ?? null))
    throw new Error("Its releases differ in their seeds; this form accepts one.");
  const releases = specs.map(({ mechanism, postprocess }) => ({ mechanism, postprocess: postprocess ?? [] }));
  for (const [known, requested] of [
    [mechanisms, releases.map(({ mechanism }) => mechanism.name)],
    [steps, releases.flatMap(({ postprocess }) => postprocess.map(({ name }) => name))],
  ]) {
    const odd = requested.find((name) => !known.includes(name));
    if (odd !== undefined) throw new Error(`Unknown mechanism or step “${odd}”.`);
  }
  return {
    level: Object.fromEntries(common.map((name) => [name, specs[0].mechanism[name] ?? null])),
    releases,
    seed: specs[0].seed ?? null,
  };
}
