"""What depends on the kind of data: an adapter a kind and layer, in a folder that the kind gives its name."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar

from privacy_engine.datatypes import datatypes

T = TypeVar("T")


class ByKind(Mapping[str, T]):
    """The adapters of a layer by the name of the kind: ``ADAPTER`` of the module ``package.kind.module``.

    They are imported when they are first needed, so that a kind's folder is all that a further kind needs.
    """

    def __init__(self, package: str, module: str) -> None:
        self._package, self._module = package, module

    def __getitem__(self, kind: str) -> T:
        if kind not in datatypes:
            raise KeyError(kind)
        adapter: T = import_module(f"{self._package}.{kind}.{self._module}").ADAPTER
        return adapter

    def __iter__(self) -> Iterator[str]:
        return iter(datatypes)

    def __len__(self) -> int:
        return len(datatypes)
