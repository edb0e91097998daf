"""No error becomes its own cause, and what follows causes ends: rules over the syntax tree of the product's code."""

import ast
from pathlib import Path

from tests.cases import each

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("privacy_engine", "dashboard", "scripts", "benchmarks")
SOURCES = [ROOT / "manage.py", *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))]
LINKS = {"__cause__", "__context__"}


def _branches(value):
    match value:
        case ast.IfExp():
            yield from (*_branches(value.body), *_branches(value.orelse))
        case ast.BoolOp():
            for one in value.values:
                yield from _branches(one)
        case ast.NamedExpr():
            yield from (value.target, *_branches(value.value))
        case None:
            return
        case _:
            yield value


def _returns_an_argument(function):
    if not isinstance(function, ast.FunctionDef):
        return False
    given = {one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    returned = (one for node in ast.walk(function) if isinstance(node, ast.Return) for one in _branches(node.value))
    return any(isinstance(one, ast.Name) and one.id in given for one in returned)


def _called(node):
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


class Scope:
    """Which errors an expression of one function can be, by their names."""

    def __init__(self, function, passing):
        self.passing = passing
        self.assigned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self.assigned.setdefault(ast.unparse(target), []).append(node.value)

    def names(self, value, met=frozenset()):
        """The names, with those that an assignment or a function may pass on; a link counts as its error."""
        found: set[str] = set()
        for one in _branches(value):
            if _is_link(one):
                found |= self.names(one.value, met)
            elif isinstance(one, ast.Name | ast.Attribute):
                name = ast.unparse(one)
                found.add(name)
                if name not in met:
                    for given in self.assigned.get(name, ()):
                        found |= self.names(given, met | {name})
            elif isinstance(one, ast.Call):
                if isinstance(one.func, ast.Attribute) and one.func.attr == "with_traceback":
                    found |= self.names(one.func.value, met)
                elif _called(one) in self.passing:
                    for argument in (*one.args, *(keyword.value for keyword in one.keywords)):
                        found |= self.names(argument, met)
        return found


def _is_link(node):
    return isinstance(node, ast.Attribute) and node.attr in LINKS


def _follows(node):
    """Whether it reads what an error links to."""
    return any(_is_link(one) or (_called(one) == "getattr" and _names_a_link(one)) for one in ast.walk(node))


def _names_a_link(node):
    return any(getattr(part, "value", "") in LINKS for part in ast.walk(node) if isinstance(part, ast.Constant))


def _raises_from(node):
    return isinstance(node, ast.Raise) and isinstance(node.cause, ast.Name | ast.Attribute)


def faults(tree, passing):
    nodes = list(ast.walk(tree))
    functions = [tree, *(node for node in nodes if isinstance(node, ast.FunctionDef))]
    for function in functions if any(_raises_from(node) for node in nodes) else ():
        scope = Scope(function, passing)
        for node in filter(_raises_from, ast.walk(function)):
            if scope.names(node.exc) & scope.names(node.cause):
                yield f"{node.lineno}: an error that may be its own cause"
    for function in functions if any(_is_link(node) for node in nodes) else ():
        name = getattr(function, "name", None)
        if any(_called(node) == name and _follows(node) for node in ast.walk(function)):
            yield f"{function.lineno}: follows causes by calls of itself"
    for node in nodes:
        stored = _is_link(node) and isinstance(node.ctx, ast.Store | ast.Del)
        by_name = _called(node) == "setattr" and _names_a_link(node)
        if stored or by_name:
            yield f"{node.lineno}: sets what an error links to"
        if isinstance(node, ast.While) and _follows(node):
            compared = (one.ops[0] for one in ast.walk(node) if isinstance(one, ast.Compare))
            if not any(isinstance(one, ast.In | ast.NotIn) for one in compared):
                yield f"{node.lineno}: follows causes without a memory of those it met"


def passing_functions(trees):
    """Names of functions that may return what they were given."""
    return {node.name for tree in trees for node in ast.walk(tree) if _returns_an_argument(node)}


def test_no_error_is_its_own_cause_and_every_walk_over_causes_ends():
    trees = {path: ast.parse(path.read_text()) for path in SOURCES}
    passing = passing_functions(trees.values())
    assert [f"{path.relative_to(ROOT)}:{one}" for path, tree in trees.items() for one in faults(tree, passing)] == []


@each(
    "text",
    [
        "raise error if isinstance(error, A) else B() from error",
        "raise error from error",
        "raise self.error from self.error",
        "raise error.with_traceback(None) from error",
        "raise error.__cause__ from error",
        "raise (other := error) or A() from error",
        "other = error\nraise other from error",
        "def translated(error):\n    return error\nraise translated(error) from error",
        "class A:\n    def moved(self, e):\n        return e if e.row else B()\nraise A().moved(error) from error",
        "error.__cause__ = None",
        "error.__context__ = other",
        "setattr(error, '__cause__', other)",
        "while error:\n    error = error.__cause__ or error.__context__",
        "while error:\n    error = getattr(error, '__cause__', None)",
        "def root(error):\n    return root(error.__cause__) if error.__cause__ else error",
    ],
)
def test_the_search_finds_circles(text):
    tree = ast.parse(text)
    assert list(faults(tree, passing_functions([tree])))
