import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import * as numbers from "../../../static/js/core/number_text.js";
import { check, gives } from "../cases.mjs";
import { draws } from "../support.mjs";

const { POSITIVE, readNumber, readNumbers, shifted, writtenNumber } = numbers;
const RULES = [
  { minimum: 1e-6, maximum: 1e4, required: true },
  { minimum: 0.01, maximum: 2e7, required: true },
  { minimum: -180, maximum: 180, required: true },
  { minimum: 0, maximum: Number.MAX_SAFE_INTEGER, whole: true },
  { minimum: 1, whole: true, required: true },
  { minimum: 0 },
  {},
];
const MINUS = "\u2212";
const ALPHABET = [..."0159,.-+eE x", "00", "000", "234", MINUS, "\u00a0", "\u0663", "\uff11"];

/** One decimal number, whatever its form: "1.50" and "15e-1" are alike. */
function canonical(text) {
  const [, sign, whole, part = "", power = "0"] = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, "");
  const bare = digits.replace(/0+$/, "");
  if (!bare) return "0";
  const at = BigInt(power) - BigInt(part.length) + BigInt(digits.length - bare.length);
  return `${sign === "-" ? "-" : ""}${bare}e${at}`;
}

/** Every number that a text may mean: marks as decimal ones, or as separators of thousands. */
function readings(text) {
  const [, sign, mantissa, mark = "", power = ""] = /^([+-]?)([\d.,]*)(?:(e)(.*))?$/is.exec(text) ?? [];
  if (!mantissa || !/\d/.test(mantissa) || (mark && !/^[+-]?\d+$/.test(power))) return new Set();
  const found = [];
  if (mantissa.replace(/\d/g, "").length <= 1) found.push(mantissa.replace(",", "."));
  for (const [group, decimal] of mark ? [] : [",.", ".,"]) {
    const [before, ...after] = mantissa.split(decimal);
    const [first, ...rest] = before.split(group);
    const grouped = rest.length && /^[1-9]\d{0,2}$/.test(first) && rest.every((one) => /^\d{3}$/.test(one));
    if (grouped && after.length < 2 && /^\d*$/.test(after[0] ?? ""))
      found.push(`${before.replaceAll(group, "")}.${after[0] ?? ""}`);
  }
  return new Set(found.map((one) => canonical(`${sign}${one}${mark}${power}`)));
}

/** The one number that a text means within the rule; "refused", or null for nothing. */
function expected(typed, { minimum = -Infinity, maximum = Infinity, whole }) {
  const text = typed
    .trim()
    .replace(/^\u2212/, "-")
    .replace(/(e)\u2212/i, "$1-");
  if (!text) return null;
  const found = readings(text);
  const isWithin = (value) => value >= minimum && value <= maximum;
  const plain = text.replace(/[^.,]/g, "").length <= 1 ? canonical(text.replace(",", ".")) : "";
  if (!found.has(plain) || [...found].some((one) => one !== plain && isWithin(Number(one)))) return "refused";
  const value = Number(plain);
  const lost = value === 0 && plain !== "0";
  const broken = whole && !Number.isSafeInteger(value);
  return lost || broken || !isWithin(value) || !Number.isFinite(value) ? "refused" : value;
}

function generated(seed, many) {
  const draw = draws(seed);
  const texts = draw.list(many, () => draw.list(draw.int(1, 7), () => draw.pick(ALPHABET)).join(""));
  const size = (low) => draw.real(0, 10 ** draw.int(low, 8));
  const numbers = draw.list(many, () => draw.pick("-+ ") + size(-3).toFixed(draw.int(0, 4)));
  const inGroups = (digits) =>
    new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const grouped = draw.list(many, () => inGroups(draw.int(0, 3)).format(size(2)));
  const german = [...grouped, ...numbers].map((one) => one.replace(/[.,]/g, (mark) => (mark === "," ? "." : ",")));
  return [...texts, ...numbers, ...grouped, ...german];
}

test("a text is the one number that it can mean, or refused", () => {
  const sorts = { number: 0, string: 0, object: 0 };
  for (const rule of RULES)
    for (const text of generated(20261122, 4000)) {
      const should = expected(text, rule);
      sorts[typeof should] += 1;
      const { value, problem } = readNumber(text, rule);
      const about = `“${text}” by ${JSON.stringify(rule)}`;
      const found = value === null ? null : Number.isNaN(value) ? "refused" : value + 0; // -0 is 0
      equal(found, typeof should === "number" ? should + 0 : should, about);
      equal(problem !== "", should === "refused" || (should === null && Boolean(rule.required)), about);
    }
  for (const [sort, many] of Object.entries(sorts)) ok(many > 100, `${sort}: ${many}`);
});

test("what a field writes it reads again, to the last bit", () => {
  const draw = draws(7);
  for (const rule of RULES) {
    const [low, high] = [rule.minimum ?? -1e6, rule.maximum ?? 1e6];
    const values = draw.list(5000, () => Number(draw.real(low, high).toPrecision(draw.int(1, 17))));
    values.push(1.125, 12.5, 100.001, 999.999, 0.125, 1000, 1234.5, 1e21, 5e-324);
    for (const value of values.map((one) => (rule.whole ? Math.floor(one) : one))) {
      if (value < low || value > high || (rule.whole && value > Number.MAX_SAFE_INTEGER)) continue;
      equal(readNumber(writtenNumber(value, rule), rule).value, value, `${value} by ${JSON.stringify(rule)}`);
    }
  }
});

test("nothing is written for no number", () => {
  gives(writtenNumber, { null: "", undefined: "", 0: "0", 1e21: "1e21" });
  equal(writtenNumber(NaN), "");
});

test("the number as programs write it", () => {
  deepEqual(readNumber(` ${MINUS}1,5E${MINUS}3 `), { value: -0.0015, text: "-1.5e-3", problem: "" });
  deepEqual(readNumber(""), { value: null, text: "", problem: "" });
});

test("a problem names the rule and what was typed", () => {
  const problemOf = (text, rule) => readNumber(text, rule).problem;
  for (const [text, rule, problem] of [
    ["", { required: true }, "Give a number."],
    ["", { required: true, whole: true, minimum: 1 }, "Give a whole number of at least 1."],
    ["x", {}, "“x” is not a number. Write digits, such as 0.5."],
    ["-", { whole: true }, "“-” is not a number. Write digits, such as 10."],
    [".", {}, "“.” is not a number. Write digits, such as 0.5."],
    ["1,000", { maximum: 1e4 }, "“1,000” can be read as 1000 or as 1. Write 1000 or 1."],
    ["1,000", { minimum: 1000 }, "“1,000” can be read as 1000 or as 1. Write 1000 or 1."],
    ["1,000", { maximum: 1000 }, "“1,000” can be read as 1000 or as 1. Write 1000 or 1."],
    ["1.500", {}, "“1.500” can be read as 1500 or as 1.5. Write 1500 or 1.5."],
    ["1.234", {}, "“1.234” can be read as 1234 or as 1.234. Write 1234 or 1.2340."],
    ["1,234,567", {}, "“1,234,567” has separators between thousands. Write 1234567."],
    ["1.234,5", {}, "“1.234,5” can be read as 1234.5 or as 1.2345. Write 1234.5 or 1.2345."],
    ["1e-400", {}, "Too close to 0."],
    ["1e400", {}, "Too large for a number, got 1e400."],
    ["-1", { minimum: POSITIVE }, "Must be greater than 0, got -1."],
    ["0", { minimum: 0.5 }, "Must be greater than 0, got 0."],
    ["0.4", { minimum: 0.5 }, "Must be at least 0.5, got 0.4."],
    ["0", { minimum: 1, whole: true }, "Must be at least 1, got 0."],
    ["11", { maximum: 10 }, "Must be at most 10, got 11."],
    ["2,5", { whole: true }, "Must be a whole number, got 2.5."],
    ["9007199254740993", { whole: true }, "Too large for a whole number, got 9007199254740993."],
    ["1", { minimum: 1, maximum: 10 }, ""],
    ["10", { minimum: 1, maximum: 10 }, ""],
  ])
    equal(problemOf(text, rule), problem, `“${text}”`);
  equal(readNumber("1,000", { minimum: 1, maximum: 999 }).value, 1); // as a group it is outside
});

test("rules as sentences; large numbers are powers of ten where that is shorter", () => {
  check(numbers.ruleSentence, [
    [[{}], "A number."],
    [[{ whole: true }], "A whole number."],
    [[{ minimum: POSITIVE, maximum: 3 }], "A number greater than 0."],
    [[{ minimum: 0.01, maximum: 2e7 }], "A number from 0.01 to 20000000."],
    [[{ minimum: 0, whole: true }], "A whole number of at least 0."],
    [[{ maximum: 5e12 }], "A number of at most 5e12."],
  ]);
  gives(numbers.plainNumber, { 999999999: "999999999", 1e9: "1e9", "-2.5e12": "-2.5e12", 1234567891: "1234567891" });
  gives(numbers.plainNumber, { 1e-7: "1e-7", 1.5e30: "1.5e30" });
});

test("a list is never read in two ways", () => {
  for (const [text, values] of [
    ["0.1, 0.3, 1", [0.1, 0.3, 1]],
    ["0.1,0.3,1", [0.1, 0.3, 1]],
    ["0,1; 0,3; 1", [0.1, 0.3, 1]],
    ["1 2 3", [1, 2, 3]],
    ["0,5", [0.5]], // 0 is no level: one reading is left
    ["1,5", null],
    ["1,000", null],
    ["1,000; 2", null],
    ["1, 2, x", null],
    ["", []],
    [" ; ", []],
  ]) {
    const found = readNumbers(text, { minimum: 1e-6, maximum: 1e4 });
    deepEqual(found.problem ? null : found.values, values, `“${text}”`);
  }
});

test("problems of a list", () => {
  for (const [text, rule, problem] of [
    ["", { required: true }, "Give at least one number."],
    ["1 2 1", {}, "1 is listed twice."],
    ["1 2 1", { repeated: true }, ""],
    ["1,5", { minimum: 1 }, "“1,5” can be read as 1.5 or as 1 and 5. Write 1.5, or 1; 5 for 2 numbers."],
    ["3 0.5", { minimum: 1 }, "Must be at least 1, got 0.5."],
  ])
    equal(readNumbers(text, rule).problem, problem, text);
  deepEqual(readNumbers("1, 2").texts, ["1", "2"]);
});

test("a step keeps the decimals and the mark that are typed, and stays within the domain", () => {
  for (const [typed, by, rule, text] of [
    ["", 1, {}, "1"],
    ["0.1", 1, {}, "1.1"],
    ["0,25", -1, {}, "-0,75"],
    ["2.50", 1, {}, "3.5"],
    ["1e3", 1, {}, "1001"],
    ["999", 1, {}, "1000"],
    ["0", 1, { maximum: 1 }, "1"],
    ["0,5", 1, { maximum: 1 }, null],
    ["1", -1, { minimum: 0.5 }, null],
    ["1", -1, { minimum: 0 }, "0"],
    ["-5", 1, { minimum: 1 }, "-4"], // towards the domain
    ["x", 1, {}, null],
    ["0,234", 1, {}, "1,2340"], // 1,234 could be a thousand
  ])
    equal(numbers.steppedText(typed, by, rule), text, `“${typed}” ${by}`);
});

test("per cent are shares to the last bit", () => {
  gives(shifted, { "20, -2": 0.2, "0.7, -2": 0.007, "0.29, 2": 29, "1e-7, 2": 1e-5, "5, 0": 5 });
  deepEqual([shifted("0.7", -2), shifted("5", 0)], [0.007, 5], "of texts too");
  const draw = draws(63);
  for (let k = 0; k < 500; k += 1) {
    const percent = draw.real(0, 100).toFixed(draw.int(0, 6));
    equal(shifted(shifted(percent, -2), 2), Number(percent), percent);
  }
});
