"""Parquet files end to end: their row groups as they are, under one footer; nothing is decoded.

A footer is a structure of Thrift's compact protocol [1]_. It is decoded generically, field by field, so that fields of
later versions of the format stay as they are; changed are the fields that hold places in the file [2]_.

References
----------
.. [1] Apache Thrift, "Thrift Compact protocol encoding".
.. [2] Apache Parquet, "parquet.thrift".
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any, BinaryIO

from privacy_engine.core.progress import reported

MAGIC = b"PAR1"
PIECE = 1 << 20
"""Bytes that are copied at once."""
_TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, 9, 10, 11, 12
_ROWS, _GROUPS = 3, 4  # of a footer
_COLUMNS, _GROUP_START, _ORDINAL = 1, 5, 7  # of a row group
_CHUNK_START, _CHUNK = 2, 3  # of a column chunk
_CHUNK_STARTS = (9, 10, 11)  # of its metadata: pages of data, index, dictionary

Struct = dict[int, tuple[int, Any]]
"""The type and the value of each field, by its number."""


def join(out: BinaryIO, schema: BinaryIO, files: Iterable[BinaryIO]) -> None:
    """Write the row groups of ``files``, in turn, with schema and metadata of the file ``schema``, whose rows stay out.

    All are files of the same columns without page indexes, as :mod:`dashboard.storage.parquet` writes them.
    """
    footer, _ = _footer(schema)
    groups, rows, numbers = list[Struct](), 0, count()
    out.write(MAGIC)
    for file in reported(files):
        own, end = _footer(file)
        moved = out.tell() - len(MAGIC)
        for group in own[_GROUPS][1][1]:
            _move(group, moved)
            if _ORDINAL in group:
                group[_ORDINAL] = group[_ORDINAL][0], next(numbers)
            groups.append(group)
        rows += own[_ROWS][1]
        file.seek(len(MAGIC))
        _copy(file, out, end - len(MAGIC))
    footer[_ROWS], footer[_GROUPS] = (footer[_ROWS][0], rows), (_LIST, (_STRUCT, groups))
    content = bytearray()
    _write_struct(content, footer)
    out.write(bytes(content) + len(content).to_bytes(4, "little") + MAGIC)


def _move(group: Struct, by: int) -> None:
    """Let a row group begin ``by`` bytes later."""
    for chunk in group[_COLUMNS][1][1]:
        for fields, numbers in ((chunk, (_CHUNK_START,)), (chunk[_CHUNK][1], _CHUNK_STARTS)):
            _add(fields, numbers, by)
    _add(group, (_GROUP_START,), by)


def _add(fields: Struct, numbers: Iterable[int], by: int) -> None:
    for number in numbers:
        if fields.get(number, (0, 0))[1]:  # 0 where a writer states none
            fields[number] = fields[number][0], fields[number][1] + by


def _copy(file: BinaryIO, out: BinaryIO, size: int) -> None:
    while size:
        piece = file.read(min(size, PIECE))
        if not piece:
            raise ValueError("a Parquet file ends within its row groups")
        out.write(piece)
        size -= len(piece)


def _footer(file: BinaryIO) -> tuple[Struct, int]:
    """The footer of a file, and where it begins."""
    end = file.seek(-8, 2)
    size = int.from_bytes(file.read(4), "little")
    if file.read(4) != MAGIC or size > end:
        raise ValueError("no Parquet file")
    start = file.seek(end - size)
    return _Reader(file.read(size)).struct(), start


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def _take(self, size: int) -> bytes:
        self._at += size
        return self._content[self._at - size : self._at]

    def _unsigned(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self._take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def _integer(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)

    def struct(self) -> Struct:
        fields, number = Struct(), 0
        while head := self._take(1)[0]:
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = head & 15, self._value(head & 15)
        return fields

    def _value(self, kind: int, *, in_list: bool = False) -> Any:
        if kind in (_TRUE, _FALSE):
            return self._take(1) if in_list else kind == _TRUE
        if kind in _INTEGERS:
            return self._integer()
        if kind in (_LIST, _SET):
            head = self._take(1)[0]
            size = head >> 4 if head >> 4 < 15 else self._unsigned()
            return head & 15, [self._value(head & 15, in_list=True) for _ in range(size)]
        if kind == _STRUCT:
            return self.struct()
        if kind not in (_BYTE, _DOUBLE, _BINARY):
            raise ValueError(f"a footer with a value of type {kind}")
        return self._take({_BYTE: 1, _DOUBLE: 8}.get(kind) or self._unsigned())


def _write_unsigned(out: bytearray, value: int) -> None:
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _write_struct(out: bytearray, fields: Struct) -> None:
    before = 0
    for number, (kind, value) in sorted(fields.items()):
        if number - before < 16:
            out.append(number - before << 4 | kind)
        else:
            out.append(kind)
            _write_unsigned(out, number << 1)
        before = number
        _write_value(out, kind, value)
    out.append(0)


def _write_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in _INTEGERS:
        _write_unsigned(out, value << 1 if value >= 0 else -value * 2 - 1)
    elif kind in (_LIST, _SET):
        item, items = value
        out.append(min(len(items), 15) << 4 | item)
        if len(items) >= 15:
            _write_unsigned(out, len(items))
        for one in items:
            _write_value(out, item, one)
    elif kind == _STRUCT:
        _write_struct(out, value)
    elif isinstance(value, bytes):  # a boolean that is a field is its type alone
        if kind == _BINARY:
            _write_unsigned(out, len(value))
        out += value
