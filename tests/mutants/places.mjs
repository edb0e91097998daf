/* Prints what could be changed in files of JavaScript, as JSON: {file: [[position, old, new], ...]}; see places.py.
 * In functions alone, and not in texts, templates, regular expressions or errors.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

import { parse } from "acorn";

const SWAPPED = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "==": ["!="],
  "!=": ["=="],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "**": ["*"],
  "&": ["|"],
  "|": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "+=": ["-="],
  "-=": ["+="],
  "*=": ["/="],
  "/=": ["*="],
};
const WAITS = ["setTimeout", "setInterval"];
const REMOVED = ["CallExpression", "AwaitExpression", "AssignmentExpression", "UpdateExpression"];

const [pattern, ...files] = process.argv.slice(2);
const without = new RegExp(pattern);

/** All nodes below one, with whether a function holds them; not those of outermost functions that draw, nor of
 * methods that use an object that does.
 */
function* nodes(module, node, inside, owner) {
  if (left(node)) return;
  const isFunction = /Function/.test(node.type);
  const text = module.text.slice(node.start, node.end);
  if (!inside && isFunction && draws(module, owner && /\bthis\b/.test(text) ? owner : node)) return;
  yield { node, inside };
  const within = node.type === "ClassBody" ? node : owner;
  for (const [name, child] of children(node))
    yield* nodes(module, child, (inside || isFunction) && (inside || name === "body"), within);
}

function* children(node) {
  for (const [name, value] of Object.entries(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string") yield [name, child];
}

const modules = new Map();

/** A module's text and tree; by name where what it declares or imports is declared and set. */
function moduleOf(file) {
  if (!modules.has(file)) {
    const text = readFileSync(file, "utf8");
    const tree = parse(text, { ecmaVersion: "latest", sourceType: "module" });
    const module = { text, tree, names: new Map() };
    modules.set(file, module);
    for (const statement of tree.body) {
      const from = statement.source && path.join(path.dirname(file), statement.source.value);
      for (const { local, imported } of statement.specifiers ?? [])
        if (from) module.names.set(local.name, () => declared(from, imported?.name));
      const declaration = statement.declaration ?? statement;
      for (const one of declaration.declarations ?? [declaration])
        for (const name of one.id ? identifiers(one.id) : [])
          module.names.set(name, () => [[module, one], ...set(name)]);
    }
    const assigned = [...all(tree)].filter(({ type }) => type === "AssignmentExpression");
    const set = (name) => assigned.filter(({ left }) => left.name === name).map((one) => [module, one]);
  }
  return modules.get(file);
}

/** Where a module declares a name, or all that it declares. */
function declared(file, name) {
  const { names } = moduleOf(file);
  return (name ? [names.get(name)] : [...names.values()]).flatMap((found) => found?.() ?? []);
}

/** Whether a function has the expression `without`, or uses what has it. */
function draws(module, node) {
  const seen = new Set([node]);
  const next = [[module, node]];
  for (const [{ text, names }, one] of next) {
    if (without.test(text.slice(one.start, one.end))) return true;
    for (const name of identifiers(one))
      for (const used of names.get(name)?.() ?? [])
        if (!seen.has(used[1])) {
          seen.add(used[1]);
          next.push(used);
        }
  }
  return false;
}

function* all(node) {
  yield node;
  for (const [, child] of children(node)) yield* all(child);
}

function* identifiers(node) {
  for (const { type, name } of all(node)) if (type === "Identifier") yield name;
}

/** Errors, calls that wait, and what the console shows. */
function left({ type, callee }) {
  if (type === "ThrowStatement" || (type === "NewExpression" && /Error$/.test(callee.name))) return true;
  return type === "CallExpression" && (WAITS.includes(callee.name) || callee.object?.name === "console");
}

/** Where an operator is: between its operands are blanks, comments and parentheses. */
function between(text, operator, from, to) {
  const blank = text.slice(from, to).replace(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => " ".repeat(comment.length));
  return from + blank.indexOf(operator);
}

function* changes(text, node) {
  const whole = (changed) => [node.start, text.slice(node.start, node.end), changed];
  if (node.left && node.right && SWAPPED[node.operator]) {
    const at = between(text, node.operator, node.left.end, node.right.start);
    for (const other of SWAPPED[node.operator]) {
      // another operator binds otherwise, and ?? may not stand beside && without parentheses
      const bound = (part, from, to) =>
        part.type === "LogicalExpression" ? `(${text.slice(from, to)})` : text.slice(from, to);
      if (node.type !== "LogicalExpression") yield [at, node.operator, other];
      else
        yield whole(
          `(${bound(node.left, node.start, at)}${other}${bound(node.right, at + node.operator.length, node.end)})`,
        );
    }
  } else if (node.type === "UnaryExpression" && node.operator === "!")
    yield whole(`!!${text.slice(node.start + 1, node.end)}`);
  else if (node.type === "UpdateExpression") {
    const at = node.prefix ? node.start : node.end - 2;
    yield [at, node.operator, node.operator === "++" ? "--" : "++"];
  } else if (node.type === "Literal" && typeof node.value === "number") yield whole(`${node.value + 1}`);
  else if (node.type === "Literal" && typeof node.value === "boolean") yield whole(`${!node.value}`);
  else if (node.type === "ExpressionStatement" && REMOVED.includes(node.expression.type)) yield whole("{}");
  else if (["BreakStatement", "ContinueStatement"].includes(node.type)) yield whole("{}");
}

const found = {};
for (const file of files) {
  const module = moduleOf(file);
  const { text, tree } = module;
  // positions count code points in Python
  const astral = [...text.matchAll(/[\u{10000}-\u{10ffff}]/gu)].map((match) => match.index);
  const place = (at) => at - astral.filter((index) => index < at).length;
  found[file] = [];
  for (const { node, inside } of nodes(module, tree, false))
    if (inside && !left(node.expression ?? node))
      for (const [at, old, changed] of changes(text, node)) found[file].push([place(at), old, changed]);
}
process.stdout.write(JSON.stringify(found));
