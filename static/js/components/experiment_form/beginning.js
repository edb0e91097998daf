/* What a form of an experiment begins with. */

const BEGINNINGS = ["preset", "from", "release"];

/**
 * What a form begins with, by the query of its address: the same for "" and "?kind=" with the usual kind.
 *
 * @param {string} search
 * @param {string} usual
 */
export function beginningOf(search, usual) {
  const parameters = new URLSearchParams(search);
  const found = [...BEGINNINGS, "dataset"].filter((name) => parameters.get(name));
  if (!found.some((name) => BEGINNINGS.includes(name))) parameters.set("kind", parameters.get("kind") ?? usual);
  else parameters.delete("kind"); // it follows
  return [...found, "kind"]
    .filter((name) => parameters.has(name))
    .map((name) => `${name}=${parameters.get(name)}`)
    .join("&");
}
