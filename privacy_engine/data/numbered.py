"""Sequences whose items are made when they are needed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

T = TypeVar("T")


class Numbered(Sequence[T]):
    """Items that are made of their numbers, whenever needed."""

    @abstractmethod
    def _read(self, number: int) -> T: ...

    def __iter__(self) -> Iterator[T]:
        return map(self._read, range(len(self)))

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        numbers = range(len(self))[index]
        return Each(numbers, self._read) if isinstance(numbers, range) else self._read(numbers)


class Each(Numbered[T]):
    """``make`` of each item of a sequence."""

    def __init__(self, items: Sequence[Any], make: Callable[[Any], T]) -> None:
        self._items, self._make = items, make

    def __len__(self) -> int:
        return len(self._items)

    def _read(self, number: int) -> T:
        return self._make(self._items[number])

    def __iter__(self) -> Iterator[T]:
        return map(self._make, self._items)


def each(items: Sequence[Any], make: Callable[[Any], T]) -> Sequence[T]:
    """``make`` of each item: at once of a list, and of others whenever needed."""
    return [make(item) for item in items] if isinstance(items, list) else Each(items, make)
