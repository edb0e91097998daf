/* Numbers as people type them: how a text is read, and the messages for what is refused. No page is needed for this
 * module.
 */

const PLAIN = /^([+-]?)(\d*)(?:[.,](\d*))?(?:e([+-]?\d+))?$/i;
const GROUPED = /^[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+(?:\.\d*)?|(?:\.\d{3})+(?:,\d*)?)$/;
/** The smallest number above 0: as a minimum it stands for "greater than 0". */
export const POSITIVE = Number.MIN_VALUE;
const LONG = 1e9; // such numbers are shown as powers of ten

/**
 * A number with a decimal point and without separators between thousands, as a rule or a message shows it.
 *
 * @param {number} value
 */
export function plainNumber(value) {
  const text = String(value);
  const power = value.toExponential().replace("e+", "e");
  return Math.abs(value) >= LONG && power.length < text.length ? power : text.replace("e+", "e");
}

/** @param {number} value @param {NumberRule} rule */
const isWithin = (value, { minimum, maximum }) => value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
const lastMark = (/** @type {string} */ text) => Math.max(text.lastIndexOf(","), text.lastIndexOf("."));
const firstMark = (/** @type {string} */ text) => text.search(/[.,]/);
const bare = (/** @type {string} */ text) => text.replaceAll(/[.,]/g, "");
const splitAt = (/** @type {string} */ text, /** @type {number} */ at) =>
  `${bare(text.slice(0, at))}.${bare(text.slice(at + 1))}`;

/**
 * The two numbers that a text with separators between thousands may mean: as groups, and with its first mark as
 * decimal.
 *
 * @param {string} text
 */
function groupedReadings(text) {
  const both = text.includes(",") && text.includes(".");
  const grouped = both ? splitAt(text, lastMark(text)) : bare(text);
  return [Number(grouped), Number(splitAt(text, firstMark(text)))];
}

/**
 * Whether a text may mean thousands in groups, for a field whose domain has such a number.
 *
 * @param {string} text
 * @param {NumberRule} rule
 */
const isAmbiguous = (text, rule) =>
  GROUPED.test(text) && (!PLAIN.test(text) || isWithin(groupedReadings(text)[0], rule));

function twoReadings(/** @type {string} */ text) {
  const [grouped, decimal] = groupedReadings(text);
  const written = (/** @type {number} */ value) => unambiguous(plainNumber(value));
  if (!PLAIN.test(text) && !(text.includes(",") && text.includes(".")))
    return `“${text}” has separators between thousands. Write ${plainNumber(grouped)}.`;
  return (
    `“${text}” can be read as ${plainNumber(grouped)} or as ${plainNumber(decimal)}. Write ` +
    `${plainNumber(grouped)} or ${written(decimal)}.`
  );
}

const unambiguous = (/** @type {string} */ text) => (GROUPED.test(text) ? `${text}0` : text);

/** " from 1 to 10", " of at least 1", "of at most 10", "": the domain as text. @param {NumberRule} rule */
function domainText({ minimum, maximum }) {
  if (minimum === POSITIVE) return " greater than 0";
  if (minimum !== undefined && maximum !== undefined) return ` from ${plainNumber(minimum)} to ${plainNumber(maximum)}`;
  if (minimum !== undefined) return ` of at least ${plainNumber(minimum)}`;
  return maximum !== undefined ? ` of at most ${plainNumber(maximum)}` : "";
}

/** "A number from 0.01 to 20000000.": the rule of a field, as it stands beside it. @param {NumberRule} rule */
export const ruleSentence = (rule) => `${rule.whole ? "A whole number" : "A number"}${domainText(rule)}.`;

/** @param {number} value @param {NumberRule} rule */
function outside(value, { minimum, maximum, whole }) {
  if (minimum !== undefined && value < minimum)
    return value <= 0 && minimum > 0 && !whole ? "Must be greater than 0" : `Must be at least ${plainNumber(minimum)}`;
  return maximum !== undefined && value > maximum ? `Must be at most ${plainNumber(maximum)}` : "";
}

/**
 * What is wrong with the number that a text in plain form gives; "" if nothing is.
 *
 * @param {number} value
 * @param {string} text
 * @param {NumberRule} rule
 */
function problemOf(value, text, rule) {
  const [, , before, after = ""] = PLAIN.exec(text) ?? [];
  if (value === 0 && /[1-9]/.test(before + after)) return "Too close to 0.";
  const beyond = outside(value, rule);
  if (beyond) return `${beyond}, got ${text}.`;
  if (!Number.isFinite(value)) return `Too large for a number, got ${text}.`;
  if (rule.whole && !Number.isInteger(value)) return `Must be a whole number, got ${text}.`;
  return rule.whole && !Number.isSafeInteger(value) ? `Too large for a whole number, got ${text}.` : "";
}

/** A typed text without spaces around it, its minus signs as in programs. @param {string} text */
const trimmed = (text) =>
  text
    .trim()
    .replace(/^\u2212/, "-")
    .replace(/e\u2212/i, "e-");

/**
 * Read one number. `rule` = {minimum, maximum, whole, required}.
 * Returns {value, text, problem}: `value` null for an empty text and NaN with a problem, `text` the number as programs
 * write it, `problem` a sentence or "".
 *
 * A decimal comma is a decimal point. A text that can also mean thousands in groups, such as 1,000 or 1.000, is refused
 * if the field's domain has that number: it is never guessed which one is meant.
 *
 * @param {string} typed
 * @param {NumberRule} [rule]
 * @returns {{value: number | null, text: string, problem: string}}
 */
export function readNumber(typed, rule = {}) {
  const text = trimmed(typed);
  if (!text)
    return { value: null, text: "", problem: rule.required ? `Give ${ruleSentence(rule).replace(/^A/, "a")}` : "" };
  if (isAmbiguous(text, rule)) return { value: NaN, text, problem: twoReadings(text) };
  const parts = PLAIN.exec(text);
  if (!parts || !(parts[2] || parts[3]))
    return {
      value: NaN,
      text,
      problem: `“${text}” is not a number. Write digits, such as ${rule.whole ? "10" : "0.5"}.`,
    };
  const plain = text.replace(",", ".");
  const problem = problemOf(Number(plain), plain, rule);
  return { value: problem ? NaN : Number(plain), text: plain, problem };
}

/**
 * A number as a field shows it, such that the field reads the same number again; "" for none.
 *
 * @param {number | null | undefined} value
 * @param {NumberRule} [rule]
 */
export function writtenNumber(value, rule = {}) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  const text = String(value).replace("e+", "e");
  return isAmbiguous(text, rule) ? `${text}0` : text;
}

/**
 * A number whose decimal point is shifted as text, so that 20 % are 0.2 to the last bit.
 *
 * @param {string | number} text
 * @param {number} by
 */
export function shifted(text, by) {
  const [digits, power = 0] = String(text).toLowerCase().split("e");
  return Number(`${digits}e${Number(power) + by}`);
}

/**
 * A typed number and `by` more, within the domain, in the decimals and with the decimal mark that are typed; null where
 * there is none.
 *
 * @param {string} typed
 * @param {number} by
 * @param {NumberRule} rule
 */
export function steppedText(typed, by, rule) {
  const { value } = readNumber(typed);
  if (Number.isNaN(value)) return null;
  const { minimum = -Infinity, maximum = Infinity } = rule;
  const from = value ?? 0;
  const [, mark = ".", decimals = ""] = /([.,])(\d*)/.exec(typed) ?? [];
  const next = /e/i.test(typed) ? from + by : Number((from + by).toFixed(decimals.length));
  if ((by < 0 && next < minimum) || (by > 0 && next > maximum)) return null;
  const text = writtenNumber(next, rule);
  const shown = mark === "," ? text.replace(".", ",") : text;
  return readNumber(shown, rule).value === next ? shown : text;
}

/** Numbers of a list as texts, and a problem: "0.1, 0.3", "0,1; 0,3". @param {string} typed @param {NumberRule} rule */
function itemsOf(typed, rule) {
  const tokens = typed
    .split(/[\s;]+/)
    .map((one) => one.replace(/^,|,$/g, ""))
    .filter(Boolean);
  if (typed.includes(";")) return { items: tokens, problem: "" }; // between semicolons a comma is a decimal one
  const items = [];
  for (const token of tokens) {
    const [one, parts] = [trimmed(token), trimmed(token).split(",")];
    const isOne = parts.length === 1 || PLAIN.test(one) || GROUPED.test(one);
    const isList = parts.length > 1 && parts.every((part) => part && !readNumber(part, rule).problem);
    if (isOne && isList) {
      const decimal = splitAt(one, lastMark(one));
      return {
        items: [],
        problem:
          `“${token}” can be read as ${decimal} or as ${parts.join(" and ")}. Write ${decimal}, or ` +
          `${parts.join("; ")} for ${parts.length} numbers.`,
      };
    }
    items.push(...(isOne ? [one] : parts));
  }
  return { items, problem: "" };
}

/**
 * Read several numbers, with a semicolon, a space or a comma and a space between them. Returns {values, texts,
 * problem}.
 *
 * @param {string} typed
 * @param {NumberRule} [rule]
 */
export function readNumbers(typed, rule = {}) {
  const { items, problem } = itemsOf(typed, rule);
  if (problem) return { values: [], texts: [], problem };
  if (!items.length) return { values: [], texts: [], problem: rule.required ? "Give at least one number." : "" };
  const found = items.map((item) => readNumber(item, rule));
  const values = found.map(({ value }) => value);
  const wrong = found.find((one) => one.problem);
  const twice = values.find((value, i) => values.indexOf(value) < i);
  const message =
    wrong?.problem ?? (typeof twice !== "number" || rule.repeated ? "" : `${plainNumber(twice)} is listed twice.`);
  return { values, texts: found.map(({ text }) => text), problem: message };
}
