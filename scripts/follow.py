"""Follow parameters through calls by reading syntax: python scripts/follow.py [COMMIT] [FILE:FUNCTION:PARAMETER …]

Prints for the commit, if one is given, and for the working tree how many stays, files and climbs the parameter has.

Counting. The value is the parameter; an attribute or an item of it, what it is iterated over; what a followed function
or a class returns that takes it; a name that one of these was assigned to. What is computed from it by operators or by
other code, and a tuple, list or dict that holds it, is another value. Calls are taken in the order of the text, in all
branches. Each call that passes the value to a function of the packages is a move into that function's file, and the
function is followed the first time. A function that only returns an expression, loops over nothing and passes the value
on to none is read as that expression. Consecutive moves into one file are one stay; a climb is a stay in the dashboard
after one in the engine. A method is found by its object's module, class or annotation, else, on a plain name, by its
own name where exactly one class defines it with a body that uses a parameter; else the value is not followed there.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from definitions import PACKAGES, Class, Found, Function, Tree

DEFAULT = ("dashboard/releases/execution.py:draw_release:row", "dashboard/releases/services.py:submit_release:spec")
SAME = {
    "dict",
    "enumerate",
    "filter",
    "getattr",
    "iter",
    "list",
    "map",
    "next",
    "reversed",
    "set",
    "sorted",
    "tuple",
    "zip",
}
"""Built-in functions that return the value or its parts."""
BUILT_IN = {name for one in (list, dict, set, str, bytes) for name in dir(one)}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class Route:
    """The moves of one parameter, as (file, function)."""

    def __init__(self, tree: Tree, place: str) -> None:
        file, name, parameter = place.split(":")
        self.tree, self.moves = tree, list[tuple[str, str]]()
        self.followed, self.expressions = set[tuple[str, int]](), set[tuple[str, int]]()
        start = tree.expression(file, ast.parse(name, mode="eval").body) if file in tree.modules else None
        if not isinstance(start, Function) or parameter not in {one.arg for one in start.parameters}:
            raise SystemExit(f"{place}: there is no such parameter")
        self.enter(start, {parameter})
        moves = zip([("", ""), *self.moves], self.moves, strict=False)
        self.stays = [move for before, move in moves if before[0] != move[0]]
        self.files = {file for file, _ in self.stays}
        layers = [PACKAGES.index(file.split("/")[0]) for file, _ in self.stays]
        self.climbs = sum(before < after for before, after in pairwise(layers))

    def enter(self, function: Function, parameters: set[str]) -> None:
        key, first = (function.file, function.node.lineno), len(self.moves)
        self.moves.append((function.file, function.name))
        if key not in self.followed:
            self.followed.add(key)
            body = Body(self, function, parameters)
            for line in function.node.body:
                body.visit(line)
            if 0 < first == len(self.moves) - 1 and function.is_expression():
                self.expressions.add(key)
        if key in self.expressions:
            del self.moves[first:]


class Body(ast.NodeVisitor):
    """One function, read in the order of its text, with the names that the value has there."""

    def __init__(self, route: Route, function: Function, names: set[str]) -> None:
        self.route, self.function, self.names = route, function, set(names)
        self.types = {one.arg: one.annotation for one in function.parameters if one.annotation}
        nested = (
            one for one in ast.walk(function.node) if isinstance(one, ast.FunctionDef) and one is not function.node
        )
        self.nested = {one.name: Function(function.file, one) for one in nested}

    def has(self, node: ast.expr) -> bool:
        """Whether an expression is the value."""
        match node:
            case ast.Name(id=name):
                return name in self.names
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
                return self.has(inner)
            case ast.NamedExpr(value=inner):
                return self.has(inner)
            case ast.IfExp(body=one, orelse=other):
                return self.has(one) or self.has(other)
            case ast.BoolOp(values=values):
                return any(map(self.has, values))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self.bind(node.generators)
                return self.has(node.value if isinstance(node, ast.DictComp) else node.elt)
            case ast.Call(func=ast.Name(id=name), args=args) if name in SAME:
                return any(map(self.has, args))
            case ast.Call():
                target = self.target(node.func)
                given = [*node.args, *(one.value for one in node.keywords)]
                return any(map(self.has, given)) if isinstance(target, Class) else bool(self.taken(target, node))
        return False

    def bind(self, parts: Iterable[ast.comprehension]) -> None:
        for one in parts:
            self.assigned([one.target], one.iter)

    def assigned(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        if self.has(value):
            every = (one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))
            self.names |= {one.id for one in every if isinstance(one.ctx, ast.Store)}

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        match node:
            case ast.Assign(targets=[ast.Name(id=name), *_], value=ast.Call(func=func)):
                if isinstance(self.route.tree.expression(self.function.file, func), Class):
                    self.types[name] = func
        self.assigned(node.targets, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)
            if isinstance(node.target, ast.Name):
                self.types[node.target.id] = node.annotation
            self.assigned([node.target], node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit_Assign(ast.Assign(targets=[node.target], value=node.value))

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.assigned([node.target], node.iter)
        for line in [*node.body, *node.orelse]:
            self.visit(line)

    def visit_With(self, node: ast.With) -> None:
        for one in node.items:
            self.visit(one.context_expr)
            if one.optional_vars:
                self.assigned([one.optional_vars], one.context_expr)
        for line in node.body:
            self.visit(line)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, COMPREHENSIONS):  # the names first: the text has the element before what it is taken from
            self.bind(node.generators)
        super().generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        target = self.target(node.func)
        if isinstance(target, Class):
            target = target.methods.get("__init__")
        if isinstance(target, Function) and (taken := self.taken(target, node)):
            self.route.enter(target, taken)
        self.generic_visit(node)

    def taken(self, target: Found, call: ast.Call) -> set[str]:
        """The parameters that take the value in."""
        if not isinstance(target, Function):
            return set()
        given, found = target.node.args, set[str]()
        names = [one.arg for one in [*given.posonlyargs, *given.args]]
        if target.holder and not any(ast.unparse(one) == "staticmethod" for one in target.node.decorator_list):
            del names[:1]
        for i, one in enumerate(call.args):
            if self.has(one) and (i < len(names) or given.vararg):
                found.add(names[i] if i < len(names) or not given.vararg else given.vararg.arg)
        known = {*names, *(one.arg for one in given.kwonlyargs)}
        for key in call.keywords:
            if not self.has(key.value):
                continue
            if key.arg and key.arg in known:
                found.add(key.arg)
            elif given.kwarg:
                found.add(given.kwarg.arg)
        return found

    def target(self, node: ast.expr) -> Found:
        """What is called."""
        tree, file = self.route.tree, self.function.file
        if isinstance(node, ast.Name):
            return self.nested.get(node.id) or tree.named(file, node.id)
        if not isinstance(node, ast.Attribute):
            return None
        if isinstance(node.value, ast.Name):
            name = node.value.id
            if (
                name in ("self", "cls")
                and self.function.holder
                and (own := tree.method(self.function.holder, node.attr))
            ):
                return own
            typed = tree.expression(file, self.types[name]) if name in self.types else None
            if isinstance(typed, Class):
                return tree.method(typed, node.attr)
        found = tree.expression(file, node)
        if found or tree.expression(file, node.value) or node.attr in BUILT_IN or not isinstance(node.value, ast.Name):
            return found
        candidates = tree.methods.get(node.attr, [])
        return candidates[0] if len(candidates) == 1 and node.value.id not in tree.modules[file].imported else None


def printed(title: str, tree: Tree, places: Iterable[str], *, listed: bool) -> None:
    """Print the figures of a tree."""
    for place in places:
        route = Route(tree, place)
        print(f"{title}: {place}: {len(route.stays)} stays, {len(route.files)} files, {route.climbs} climbs")
        for i, (file, name) in enumerate(route.stays if listed else (), 1):
            print(f"{i:4}. {file}: {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("places", nargs="*", metavar="COMMIT or FILE:FUNCTION:PARAMETER")
    parser.add_argument("--list", action="store_true", help="print the stays")
    given = parser.parse_args()
    places = [one for one in given.places if ":" in one] or DEFAULT
    for commit in [one for one in given.places if ":" not in one]:
        with tempfile.TemporaryDirectory() as folder:
            command = ["git", "archive", commit, *PACKAGES]
            packed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(folder, filter="data")
            printed(commit, Tree(Path(folder)), places, listed=given.list)
    printed("working tree", Tree(Path()), places, listed=given.list)


if __name__ == "__main__":
    main()
