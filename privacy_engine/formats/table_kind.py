"""``TableKind``: how tables and archives of a kind of data are recognised and read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, BinaryIO, ClassVar, NamedTuple

from privacy_engine.formats.generic_table import Table
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.options import OPTIONS, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Meter
from privacy_engine.registry import Adapters

OTHER_COLUMNS = "other_columns"
"""The code of the note on a table whose columns are those of another kind than it was read as."""


class Columns(NamedTuple):
    """What a kind is recognised by: the names of a table's columns, some of its rows, and whether it has a header."""

    names: list[str]
    sample: list[list[str]]
    headed: bool


class Role(NamedTuple):
    """What a column may be read as: the reading option that names it, what it is called, whether it must be there."""

    name: str
    label: str
    needed: bool = False


class Archive(NamedTuple):
    """A ZIP archive of a kind: the names of the members that options are stated for, and how to read its data."""

    members: Sequence[str]
    read: Callable[[Report], Any]


class TableKind(ABC):
    """A kind of data: the ``ADAPTER`` of a module or folder beside this one. It has no state.

    ``rank`` orders the kinds in lists; a table is offered to the last of them first. ``title`` is what a file of it
    holds. ``by_format`` is True where each format reads it in its own way: any table is taken for it that no other kind
    recognises. ``used`` are the reading options that it uses, ``used_if_known`` those that it uses where the file's
    format does. ``roles`` are those of columns that may be named. ``described`` are a module and a function whose
    docstrings describe its tables in docs/reference/formats.md.
    """

    kind: ClassVar[str]
    rank: ClassVar[int]
    title: ClassVar[str]
    by_format: ClassVar[bool] = False
    used: ClassVar[Sequence[str]] = ()
    used_if_known: ClassVar[Sequence[str]] = ()
    roles: ClassVar[Sequence[Role]] = tuple(
        Role(option.name, option.label.removesuffix(" column"), option.needed)
        for option in OPTIONS.values()
        if option.kind == "column"
    )
    described: ClassVar[tuple[Any, Callable[..., bool]] | None] = None

    @abstractmethod
    def looks_like(self, columns: Columns) -> bool:
        """Whether a table's columns are those of this kind."""

    def used_columns(self, layout: Layout, decided: Mapping[str, Any]) -> dict[int, str]:
        """The role of each column (from 0) that was used, by the options that were decided."""
        places = {role.name: str(decided.get(role.name, "")) for role in self.roles}
        return {int(at[1:]) - 1: role for role, at in places.items() if at[:1] == "#" and at != "#0"}

    def is_stated(self, options: ReadOptions) -> bool:
        """Whether an option was given that only this kind uses."""
        return False

    def claims(self, table: Any) -> bool:
        """Whether an Arrow table is of this kind whatever its columns are called."""
        return False

    def recognises(self, columns: Columns, options: ReadOptions, report: Report, *, cautious: bool) -> bool:
        """Whether a table is taken for this kind; ``cautious`` where it might be of a kind that takes any table."""
        return self.looks_like(columns)

    def read(self, table: Table, options: ReadOptions, report: Report, others: Iterable[TableKind] = ()) -> Any:
        """The data of a table; ``others`` are the kinds that it could be of, where the caller stated this kind."""
        raise NotImplementedError

    def archive(self, stream: BinaryIO, options: ReadOptions, meter: Meter, *, stated: bool) -> Archive | None:
        """A ZIP archive, where it holds this kind; ``stated`` where the caller takes none that is ``by_format``."""
        return None


table_kinds: Adapters[TableKind] = Adapters("privacy_engine.formats.kinds")
"""The kinds of data that a file can hold.

>>> list(table_kinds)[:3]
['trajectory', 'stream', 'checkins']
"""
