"""``Registry``: the named components of a sort. Forms, API schema, legend and documentation derive from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import asdict, is_dataclass
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Generic, Self, TypeVar

from pydantic import ConfigDict, ValidationError

from privacy_engine.core.component import Component
from privacy_engine.core.origin import Origin
from privacy_engine.core.params import brief, explain
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.plugins import NotLoaded, Once, Plugins, Unfit

MAX_STEPS = 8
GONE = "a package that is not installed any more"


def _refuse(self: Component, *data: Any, **more: Any) -> Any:
    raise ParameterError(f"{self.name} is of {GONE}", field="name", rule="installed", value=self.name)


ABSENT: dict[str, Any] = {
    "__doc__": f"This is of {GONE}.",
    "summary": f"It is of {GONE}.",
    **dict.fromkeys(("release", "draw", "draw_each", "run", "fit", "over"), _refuse),
}
_REGISTRIES: dict[str, Registry[Any]] = {}
_known: ContextVar[Mapping[str, Any] | None] = ContextVar("known", default=None)


def is_stored() -> bool:
    """Whether what is parsed is what was stored, so that components may be of packages that were removed."""
    return _known.get() is not None


@contextmanager
def stored(**known: Any) -> Iterator[None]:
    """Parse what was stored: a component that is not installed any more is an :meth:`Registry.absent` one."""
    token = _known.set(known)
    try:
        yield
    finally:
        _known.reset(token)


T = TypeVar("T", bound=Component)
A = TypeVar("A")
Parsed = TypeVar("Parsed")


class Registry(Generic[T]):
    """Named descriptions of a sort, in the order they were registered; those of other packages come last.

    ``group`` is that of their entry points, and ``base`` what they must be subclasses of.
    """

    def __init__(self, what: str, group: str = "", base: type[Component] = Component) -> None:
        self._what, self._base = what, base
        self._plugins = Plugins(group, self._add, _package_of(base)) if group else None
        self._first_use = self._plugins.load if self._plugins else Once()
        if group:
            _REGISTRIES[group] = self
        self._group = group
        self._registered: dict[str, type[T]] = {}
        self._former: dict[str, str] = {}
        self._kind: str | None = None

    def of(self, kind: str) -> Registry[Any]:
        """The part of it for a kind of data, in the same order; it follows what is registered later."""
        part: Registry[Any] = copy(self)
        part._kind = kind
        return part

    @property
    def _classes(self) -> dict[str, type[T]]:
        self._first_use()
        return {name: cls for name, cls in self._registered.items() if self._kind in (None, cls.kind)}

    @property
    def own(self) -> list[type[T]]:
        """Those of Cairn, without those of other packages."""
        return [cls for cls in self._registered.values() if cls.origin is None]

    def at_first_use(self, register: Callable[[], None]) -> None:
        """Call ``register``, which registers more, before the components are first listed or looked up."""
        self._first_use = Once(register)

    def register(self, cls: type[T]) -> type[T]:
        """Add ``cls`` under its name (a class decorator)."""
        name = cls.registered_name()
        if name in self._registered:
            raise TypeError(f"{name} is registered twice")
        cls.fields()  # a parameter without label and domain fails at import, not in a form
        self._registered[name] = cls
        return cls

    def _add(self, cls: Any, origin: Origin) -> None:
        """Register a component of another package; :class:`Unfit` where it cannot be used."""
        if not (isinstance(cls, type) and issubclass(cls, self._base)):
            raise Unfit(f"is not a subclass of {self._base.__name__}")
        name = cls.registered_name()
        taken = self._registered.get(name)
        if taken not in (None, cls):  # its module may have registered it as Cairn's own do
            raise Unfit(f"has the name {name}, which is that of a {self._what} of {taken.origin or 'Cairn'}")
        if missing := [attribute for attribute in _declared(cls) if not hasattr(cls, attribute)]:
            raise Unfit(f"lacks {' and '.join(missing)}")
        if cls.kind not in (kinds := {one.kind for one in self.own}):
            raise Unfit(f"is for data of the kind {cls.kind!r}, which is none of {', '.join(sorted(kinds))}")
        cls.fields()
        cls.origin, cls.short = origin, f"{cls.legend()} (not reviewed)"
        cls.title = f"{cls.title} ({origin.mark})"
        cls.__reduce__ = lambda component: self._reduced(component)  # type: ignore[method-assign, assignment]
        self._registered[name] = cls  # type: ignore[assignment]

    def refuse(self, cls: type[Component], reason: str) -> None:
        """Take a component of another package off the list, for a reason that is met later."""
        del self._registered[cls.registered_name()]
        if self._plugins is not None and cls.origin is not None:
            self._plugins.refuse(cls.registered_name(), cls.origin, reason)

    def _reduced(self, component: Any) -> Any:
        """How another process is given a component of another package: by its name, so that it is marked there too."""
        return _parsed, (self._base.__module__, self._group, component.model_dump())

    @property
    def not_loaded(self) -> list[NotLoaded]:
        """The components of other packages that could not be used."""
        return [] if self._plugins is None else self._plugins.not_loaded

    def shown(self, name: str, **known: Any) -> type[T]:
        """The class of a name that was stored, or :meth:`absent`."""
        return self._classes.get(name) or self.absent(name, **known)

    def absent(self, name: str, **known: Any) -> type[T]:
        """What stands for a component that is not installed any more: it shows what was stored, and does nothing.

        ``known`` is what is known of it: its ``kind``, or all that :func:`recorded` made of it.
        """
        kind = known.get("kind", self._kind)
        like = next(cls for cls in self._registered.values() if kind in (None, cls.kind))
        base = [cls for cls in like.__mro__ if issubclass(cls, self._base) and cls is not self._base][-1]
        texts = {text: getattr(like, text) for text in _declared(like) if hasattr(like, text)}
        texts |= {text: () for text, value in texts.items() if isinstance(value, tuple)}
        texts |= {"title": f"{name} (not installed)", "short": name, "origin": Origin(GONE, "")}
        for text, value in known.items():
            texts[text] = _restored(value, texts.get(text))
        fields = {"__annotations__": {"name": str}, "name": name, "model_config": ConfigDict(extra="allow")}
        absent: type[T] = type("Absent", (base,), {"__module__": __name__, **fields})
        texts |= ABSENT | {"fields": classmethod(lambda cls: list(known.get("fields", ())))}
        for text, value in texts.items():  # not in its body, in which pydantic would take them for fields
            setattr(absent, text, value)
        return absent

    def rename(self, former: str, name: str) -> None:
        """Let descriptions by a ``former`` name be of the component that replaces it; lists do not have that name."""
        self._former[former] = name

    def __deepcopy__(self, memo: Any) -> Self:
        """Itself: a field of a serializer is copied for every request."""
        return self

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
        if cls is None and isinstance(name, str) and (known := _known.get()) is not None:
            cls = self.absent(name, **known)
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
        return tuple(parse_each(description, field, self.parse))


def recorded(cls: type[Component]) -> dict[str, Any]:
    """The class variables and the fields of a component as JSON-ready data, for :meth:`Registry.absent`."""
    values = {name: getattr(cls, name) for name in _declared(cls) if hasattr(cls, name)}
    plain = {
        name: asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
        for name, value in values.items()
    }
    kept = {name: value for name, value in plain.items() if isinstance(value, str | bool | dict | tuple | None)}
    return kept | {"fields": cls.fields()}


def _restored(value: Any, like: Any) -> Any:
    if isinstance(value, dict):
        return type(like)(**value)
    return tuple(value) if isinstance(value, list) else value


def _declared(cls: type[Component]) -> Iterator[str]:
    """The class variables that its bases declare, which have a value or none."""
    for base in reversed(cls.__mro__):
        yield from (name for name, hint in vars(base).get("__annotations__", {}).items() if "ClassVar" in str(hint))


def _package_of(base: type[Component]) -> str:
    """The package of Cairn that registers components of a sort."""
    return ".".join(base.__module__.split(".")[:2])


def _parsed(module: str, group: str, description: dict[str, Any]) -> Any:
    import_module(module)
    return _REGISTRIES[group].parse(description)


def parse_each(items: Sequence[Any], field: str, parse: Callable[..., Parsed]) -> list[Parsed]:
    """Return what ``parse`` makes of each item, which is called ``field.0`` in errors.

    Raises
    ------
    ParameterErrors
        With those of all items.
    """
    parsed, errors = [], []
    for i, item in enumerate(items):
        try:
            parsed.append(parse(item, field=f"{field}.{i}"))
        except ParameterErrors as wrong:
            errors += wrong.errors
    if errors:
        raise ParameterErrors(errors)
    return parsed


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
