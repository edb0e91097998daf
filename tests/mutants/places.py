"""Places of a source at which a mutant can be made: what ``--random`` draws from."""

import ast
import io
import itertools
import json
import subprocess
import tokenize
from pathlib import Path

from tests.mutants import NODE, ROOT, Mutant

COMPUTES = 3
"""A file with fewer places than this, removed statements aside, only declares."""
REMOVED = "pass"
COMPARISONS: dict[type[ast.AST], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
ARITHMETIC: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
LOGS = {"debug", "info", "warning", "error", "exception", "critical", "log"}
WAITS = {"timeout", "stacklevel", "sleep", "warn", "strict", "setflags"}
"""Names of arguments and functions that state limits, as an assertion does, or wait: nothing depends on the value."""


def computing(file):
    """Whether mutants are drawn from a file, by its name."""
    if file.startswith("static/js/"):
        return file.endswith(".js")
    kernels = file.startswith("privacy_engine/kernels/")  # each would be compiled again; see decision 0090
    python = file.startswith(("privacy_engine/", "dashboard/")) and file.endswith(".py")
    return python and not kernels and "/migrations/" not in file and not file.endswith("__init__.py")


def places(files, without="(?!)"):
    """Return what could be changed in each file that computes: in functions, not in declarations.

    In JavaScript the outermost functions that have the expression ``without`` are left out.
    """
    javascript = [file for file in files if file.endswith(".js") and computing(file)]
    found = {
        file: list(_Python(file).found()) for file in files if file.endswith(".py") and computing(file)
    } | _javascript(javascript, without)
    return {file: rows for file, rows in found.items() if sum(row.new != REMOVED for row in rows) >= COMPUTES}


def _javascript(files, without):
    if not files:
        return {}
    script = Path(__file__).with_name("places.mjs")
    run = subprocess.run([NODE, script, without, *files], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    rows = json.loads(run.stdout)
    return {file: [Mutant(file, old, new, (), at=at) for at, old, new in rows[file]] for file in files}


class _Python:
    """The places of one file in Python."""

    def __init__(self, file):
        self.file, self.text = file, (ROOT / file).read_text()
        lines = self.text.splitlines(keepends=True)
        self.lines = lines
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line))

    def found(self):
        for node in _functions(ast.parse(self.text)):
            for statement in node.body:
                yield from self._walk(statement)

    def _at(self, line, byte):
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:byte].decode())

    def _span(self, node):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)

    def _change(self, start, end, new):
        return Mutant(self.file, self.text[start:end], new, (), at=start)

    def _walk(self, node):
        if _left_out(node):
            return
        yield from self._own(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "args") and not isinstance(node, ast.Call):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not (isinstance(node, ast.Raise) and name == "exc"):
                    yield from self._walk(child)

    def _own(self, node):
        match node:
            case ast.Compare():
                for left, kind, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                    old, others = COMPARISONS[type(kind)]
                    yield from (self._operator(left, old, right, new) for new in others)
            case ast.BinOp() if type(node.op) in ARITHMETIC:
                yield self._operator(node.left, *_with(node.op, node.right))
            case ast.AugAssign():
                yield self._change(*self._span(node), REMOVED)
                if type(node.op) in ARITHMETIC:
                    old, new = ARITHMETIC[type(node.op)]
                    yield self._operator(node.target, old + "=", node.value, new + "=")
            case ast.BoolOp():
                old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                # all of them, or the precedence of the others would change what is changed
                ends = [self._span(value) for value in node.values]
                start, end = self._span(node)
                text = self.text[start : ends[0][1]]
                for (_, before), (after, last) in itertools.pairwise(ends):
                    text += self._replaced(before, after, old, new)[1] + self.text[after:last]
                yield self._change(start, end, "(" + text + self.text[ends[-1][1] : end] + ")")
            case ast.UnaryOp(op=ast.Not() | ast.Invert()):
                start, end = self._span(node)
                yield self._change(
                    start, end, f"({self.text[start:end].removeprefix('not').removeprefix('~').strip()})"
                )
            case ast.Constant(value=bool()):
                yield self._change(*self._span(node), str(not node.value))
            case ast.Constant(value=int() | float()):
                yield self._change(*self._span(node), f"{node.value + 1}")
            case (
                ast.Expr(value=ast.Call() | ast.Await() | ast.YieldFrom()) | ast.Delete() | ast.Continue() | ast.Break()
            ):
                yield self._change(*self._span(node), REMOVED)
            case ast.Raise() | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield self._change(*self._span(node), REMOVED)

    def _operator(self, left, old, right, new):
        at, _ = self._replaced(self._span(left)[1], self._span(right)[0], old, new)
        return self._change(at, at + self.length, new)

    def _replaced(self, start, end, old, new):
        """Return where an operator is between two operands, and the text between them with ``new`` in its place."""
        between = self.text[start:end]
        first, *more = old.split()
        for token in _tokens(between):
            if token.string == first:
                lines = between.splitlines(keepends=True)
                offset = sum(map(len, lines[: token.start[0] - 1])) + token.start[1]
                self.length = len(first)
                if more:
                    self.length = between.index(more[0], offset + len(first)) + len(more[0]) - offset
                return start + offset, between[:offset] + new + between[offset + self.length :]
        raise ValueError(f"{self.file}: no {old} in {between!r}")


def _tokens(text):
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, IndentationError):  # at its end: the text is no statement
        return


def _with(operator, right):
    old, new = ARITHMETIC[type(operator)]
    return old, right, new


def _functions(tree):
    """Functions of a module and of its classes; those in functions are part of them."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name != "__repr__":
                yield node
        elif isinstance(node, ast.ClassDef | ast.If | ast.Try):
            yield from _functions(node)


def _left_out(node):
    """Texts, which positions in Python 3.11 do not reach, logging, assertions and waits."""
    if isinstance(node, ast.JoinedStr | ast.Assert):
        return True
    if isinstance(node, ast.keyword):
        return node.arg in WAITS
    if isinstance(node, ast.Expr):
        return _left_out(node.value)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        of = getattr(getattr(node.func, "value", None), "id", "").lower()
        return name in WAITS or (name in LOGS and ("log" in of or of == "self"))
    return False
