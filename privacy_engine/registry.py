"""``Registry``: the named components of a sort. Forms, API schema, legend and documentation derive from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from privacy_engine.core.component import Component
from privacy_engine.core.params import brief, explain
from privacy_engine.errors import ParameterError, ParameterErrors

MAX_STEPS = 8

T = TypeVar("T", bound=Component)
A = TypeVar("A")


class Registry(Generic[T]):
    """Named descriptions of a sort, in the order they were registered."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._registered: dict[str, type[T]] = {}
        self._former: dict[str, str] = {}
        self._kind: str | None = None

    def of(self, kind: str) -> Registry[Any]:
        """The part of it for a kind of data, in the same order; it follows what is registered later."""
        part: Registry[Any] = Registry(self._what)
        part._registered, part._former, part._kind = self._registered, self._former, kind
        return part

    @property
    def _classes(self) -> dict[str, type[T]]:
        return {name: cls for name, cls in self._registered.items() if self._kind in (None, cls.kind)}

    def register(self, cls: type[T]) -> type[T]:
        """Add ``cls`` under its name (a class decorator)."""
        name = cls.registered_name()
        if name in self._registered:
            raise TypeError(f"{name} is registered twice")
        cls.fields()  # a parameter without label and domain fails at import, not in a form
        self._registered[name] = cls
        return cls

    def rename(self, former: str, name: str) -> None:
        """Let descriptions by a ``former`` name be of the component that replaces it; lists do not have that name."""
        self._former[former] = name

    def __iter__(self) -> Iterator[type[T]]:
        return iter(self._classes.values())

    def __len__(self) -> int:
        return len(self._classes)

    def __getitem__(self, name: str) -> type[T]:
        return self._classes[name]

    def parse(self, description: Any, *, field: str = "") -> T:
        """The described object.

        Raises
        ------
        ParameterErrors
            One error for each parameter that is missing, unknown, of the wrong type or outside its domain.
        """
        at = f"{field}." if field else ""
        if isinstance(description, Component):
            given = description.model_dump(exclude_unset=True)  # what was left out stays left out
            description = {"name": description.registered_name(), **given}
        if not isinstance(description, Mapping):
            raise ParameterErrors(
                [ParameterError(f"{field or self._what} must be an object", field=field, rule="object")]
            )
        name = description.get("name")
        if isinstance(name, str) and name in self._former:
            name = self._former[name]
            description = {**description, "name": name}
        cls = self._classes.get(name) if isinstance(name, str) else None
        if cls is None:
            names = ", ".join(self._classes)
            rule = f"one of {names}"
            raise ParameterErrors(
                [
                    ParameterError(
                        f"{at}name must be {rule}, got {brief(name)}", field=f"{at}name", rule=rule, value=name
                    )
                ]
            )
        try:
            return cls.model_validate(dict(description))
        except ValidationError as error:
            raise ParameterErrors(explain(error, prefix=field)) from None

    def parse_list(self, description: Any, *, field: str, most: int = MAX_STEPS) -> tuple[T, ...]:
        """The objects that a list of descriptions describes, in its order.

        Raises
        ------
        ParameterErrors
            With an error for each field at fault, named ``field.0.parameter``.
        """
        if not isinstance(description, list | tuple) or len(description) > most:
            rule = f"a list of at most {most} steps"
            error = ParameterError(f"{field} must be {rule}", field=field, rule=rule, value=description)
            raise ParameterErrors([error])
        parsed, errors = [], []
        for i, item in enumerate(description):
            try:
                parsed.append(self.parse(item, field=f"{field}.{i}"))
            except ParameterErrors as wrong:
                errors += wrong.errors
        if errors:
            raise ParameterErrors(errors)
        return tuple(parsed)


def import_all(package: str) -> list[ModuleType]:
    """Import the modules and folders of a package, each of which may register what it has."""
    path = import_module(package).__path__
    return [import_module(module.name) for module in iter_modules(path, f"{package}.")]


class Adapters(Mapping[str, A]):
    """What a package has for each kind of data, by kind: the ``ADAPTER`` of its modules and folders that have it.

    They are imported at the first use, and come in the order of their ``rank`` where they have any. So a
    further kind is a further module or folder, and nothing else.
    """

    def __init__(self, package: str) -> None:
        self._package = package

    @cached_property
    def _found(self) -> dict[str, A]:
        adapters = [vars(module)["ADAPTER"] for module in import_all(self._package) if "ADAPTER" in vars(module)]
        return {adapter.kind: adapter for adapter in sorted(adapters, key=lambda adapter: getattr(adapter, "rank", 0))}

    def __getitem__(self, kind: str) -> A:
        return self._found[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
