"""What the modules of the packages define and import, read as syntax, for follow.py."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

PACKAGES = ("privacy_engine", "dashboard")
"""The layers, the lowest first."""


@dataclass(eq=False)
class Function:
    file: str
    node: ast.FunctionDef
    holder: Class | None = None

    @property
    def name(self) -> str:
        return f"{self.holder.name}.{self.node.name}" if self.holder else self.node.name

    @property
    def body(self) -> list[ast.stmt]:
        """Without the docstring."""
        return [
            one for one in self.node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        ]

    @property
    def parameters(self) -> list[ast.arg]:
        given = self.node.args
        return [*given.posonlyargs, *given.args, *given.kwonlyargs]

    def uses_parameters(self) -> bool:
        names = {one.arg for one in self.parameters}
        return any(isinstance(one, ast.Name) and one.id in names for line in self.body for one in ast.walk(line))

    def is_expression(self) -> bool:
        """Whether it only returns an expression, without a loop."""
        parts = [one for line in self.body for one in ast.walk(line)]
        return (
            len(self.body) < 2
            and all(isinstance(one, ast.Return) for one in self.body)
            and not any(isinstance(one, ast.comprehension) for one in parts)
        )


@dataclass(eq=False)
class Class:
    file: str
    name: str
    bases: list[ast.expr]
    methods: dict[str, Function] = field(default_factory=dict)


class Module:
    """What a file defines and imports."""

    def __init__(self, file: str, tree: ast.Module, modules: dict[str, str]) -> None:
        self.file = file
        self.defined: dict[str, Function | Class] = {}
        self.imported: dict[str, tuple[str | None, str]] = {}
        package = file.removesuffix("/__init__.py").removesuffix(".py").split("/")
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self.defined[node.name] = Function(file, node)
            elif isinstance(node, ast.ClassDef):
                made = self.defined[node.name] = Class(file, node.name, node.bases)
                parts = (part for part in node.body if isinstance(part, ast.FunctionDef))
                made.methods = {part.name: Function(file, part, made) for part in parts}
        for part in ast.walk(tree):
            if isinstance(part, ast.ImportFrom):
                up = package[: len(package) - part.level + file.endswith("/__init__.py")] if part.level else []
                source = ".".join([*up, *filter(None, [part.module])])
                for one in part.names:
                    whole = modules.get(f"{source}.{one.name}")
                    self.imported[one.asname or one.name] = (whole, "") if whole else (modules.get(source), one.name)
            elif isinstance(part, ast.Import):
                self.imported |= {one.asname or one.name: (modules.get(one.name), "") for one in part.names}


Found = Function | Class | Module | None


class Tree:
    """All modules of the packages, and which classes define a method."""

    def __init__(self, root: Path) -> None:
        files = [path for name in PACKAGES for path in (root / name).rglob("*.py") if "migrations" not in path.parts]
        names = sorted(path.relative_to(root).as_posix() for path in files)
        dotted = {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name for name in names}
        self.modules = {name: Module(name, ast.parse((root / name).read_text()), dotted) for name in names}
        self.methods: dict[str, list[Function]] = {}
        for module in self.modules.values():
            for one in module.defined.values():
                for name, method in one.methods.items() if isinstance(one, Class) else ():
                    if method.uses_parameters():
                        self.methods.setdefault(name, []).append(method)

    def named(self, file: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()) -> Found:
        """What a name in a file is."""
        if name in self.modules[file].defined:
            return self.modules[file].defined[name]
        source, inner = self.modules[file].imported.get(name, (None, ""))
        if source is None or (file, name) in seen:
            return None
        return self.named(source, inner, seen | {(file, name)}) if inner else self.modules[source]

    def method(self, holder: Class, name: str, seen: tuple[Class, ...] = ()) -> Function | None:
        if name in holder.methods:
            return holder.methods[name]
        bases = [self.expression(holder.file, base) for base in holder.bases]
        inner = (self.method(one, name, (*seen, holder)) for one in bases if isinstance(one, Class) and one not in seen)
        return next(filter(None, inner), None)

    def expression(self, file: str, node: ast.expr) -> Found:
        """What a dotted name, or the class of an annotation, is."""
        if isinstance(node, ast.Name):
            return self.named(file, node.id)
        if isinstance(node, ast.Attribute):
            base = self.expression(file, node.value)
            if isinstance(base, Module):
                return self.named(base.file, node.attr)
            return self.method(base, node.attr) if isinstance(base, Class) else None
        if isinstance(node, ast.Subscript):
            return self.expression(file, node.value)
        if isinstance(node, ast.BinOp):
            return self.expression(file, node.left) or self.expression(file, node.right)
        return None
