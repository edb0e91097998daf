/* Prints what could be changed in files of JavaScript, as JSON: {file: [[position, old, new], ...]}; see places.py.
 * In functions alone, and not in texts, templates, regular expressions or errors.
 */
import { readFileSync } from "node:fs";
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

const [without, ...files] = process.argv.slice(2);

/** All nodes below one, with whether a function holds them; not those of outermost functions that have `without`. */
function* nodes(text, node, inside) {
  if (left(node)) return;
  if (!inside && /Function/.test(node.type) && new RegExp(without).test(text.slice(node.start, node.end))) return;
  yield { node, inside };
  const within = inside || /Function/.test(node.type);
  for (const [name, value] of Object.entries(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string") yield* nodes(text, child, within && (inside || name === "body"));
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
  const text = readFileSync(file, "utf8");
  // positions count code points in Python
  const astral = [...text.matchAll(/[\u{10000}-\u{10ffff}]/gu)].map((match) => match.index);
  const place = (at) => at - astral.filter((index) => index < at).length;
  const tree = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  found[file] = [];
  for (const { node, inside } of nodes(text, tree, false))
    if (inside && !left(node.expression ?? node))
      for (const [at, old, changed] of changes(text, node)) found[file].push([place(at), old, changed]);
}
process.stdout.write(JSON.stringify(found));
