"""The sizes that messages of Arrow's IPC format declare, added up before anything is unpacked.

PyArrow does not show them: they are read from the messages' flatbuffers, whose structure PyArrow has verified.
"""

import struct
from collections.abc import Iterator
from typing import Any

_RECORD_BATCH, _DICTIONARY_BATCH = 3, 2  # of the union MessageHeader in Message.fbs
_PREFIX = 8  # bytes before a compressed buffer, that hold its size or -1


def declared(message: Any) -> tuple[int, int]:
    """The rows and the unpacked bytes of a message (:class:`pyarrow.ipc.Message`).

    Raises
    ------
    struct.error
        It refers to a place outside of itself.
    """
    data = memoryview(message.metadata)
    at = _table(data, 0)
    kind, header = _field(data, at, 1), _field(data, at, 2)
    if not kind or not header or data[kind] not in (_RECORD_BATCH, _DICTIONARY_BATCH):
        return 0, 0
    batch = _table(data, header)
    if data[kind] == _DICTIONARY_BATCH:
        inner = _field(data, batch, 1)
        if not inner:
            return 0, 0
        batch = _table(data, inner)
    length, packed = _field(data, batch, 0), _field(data, batch, 3)
    body = memoryview(message.body) if message.body is not None else memoryview(b"")
    sizes = (_unpacked(body, *buffer) if packed else buffer[1] for buffer in _buffers(data, batch))
    return (struct.unpack_from("<q", data, length)[0] if length else 0), sum(sizes)


def _table(data: memoryview, at: int) -> int:
    """The place of the table to which the offset at ``at`` points."""
    return at + int(struct.unpack_from("<I", data, at)[0])


def _field(data: memoryview, table: int, number: int) -> int:
    """The place of a field of a table; 0 where it is left out."""
    vtable = table - int(struct.unpack_from("<i", data, table)[0])
    (size,) = struct.unpack_from("<H", data, vtable)
    (offset,) = struct.unpack_from("<H", data, vtable + 4 + 2 * number) if 4 + 2 * number < size else (0,)
    return table + int(offset) if offset else 0


def _buffers(data: memoryview, batch: int) -> Iterator[tuple[int, int]]:
    """The offset and the length of each buffer of a record batch."""
    field = _field(data, batch, 2)
    if field:
        vector = _table(data, field)
        (count,) = struct.unpack_from("<I", data, vector)
        for i in range(count):
            yield struct.unpack_from("<qq", data, vector + 4 + 16 * i)


def _unpacked(body: memoryview, offset: int, length: int) -> int:
    if length < _PREFIX:
        return 0
    if offset < 0:
        raise struct.error("a buffer before the body")
    (size,) = struct.unpack_from("<q", body, offset)
    return length if size < 0 else int(size)
