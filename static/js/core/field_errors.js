/* Errors of the API as a page shows them: a field is called by its label, never by its path. */

import { capitalized } from "./format.js";

const labels = new Map([
  ["epsilon", "Level ε"],
  ["radius_m", "Radius"],
  ["alpha", "Target α"],
  ["seed", "Seed"],
]);
const UNIT = /_(?:m2|m|s|kmh)$/;

/** Learn the labels of fields. @param {Pick<Field, "name" | "label">[]} fields */
export const learnLabels = (fields) => fields.forEach(({ name, label }) => labels.set(name, label));

/** The label of a path: of its last name that is no position in a list, or that name as text. @param {string} path */
export function labelOf(path) {
  const name =
    path
      .split(".")
      .filter((part) => !/^\d+$/.test(part))
      .at(-1) ?? path;
  return labels.get(name) ?? capitalized(name.replace(UNIT, "").replaceAll("_", " "));
}

/**
 * The rule that was broken and the value, for a place beside the field: "Must be greater than 0, got -1."
 *
 * @param {ApiProblem} problem
 */
export function messageOf({ field, message }) {
  return capitalized(field && message.startsWith(`${field} `) ? message.slice(field.length + 1) : message);
}

/** The same for elsewhere: "Level ε must be greater than 0, got -1." @param {ApiProblem} problem */
export function sentenceOf({ field, message }) {
  return field && message.startsWith(`${field} `) ? `${labelOf(field)} ${message.slice(field.length + 1)}` : message;
}
