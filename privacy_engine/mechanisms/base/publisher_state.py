"""The state of a publisher as bytes: JSON and the arrays that it names, compressed. No code is stored or run.

:func:`captured` takes what the attributes of a publisher hold, :func:`restored` puts it into a new publisher. Noise
that was drawn ahead and the random source are left out: what continues from a state draws new noise.
"""

import base64
import json
import struct
import zlib
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.core.component import Component
from privacy_engine.errors import DataError

FORMAT = 2
"""Format 1 was a compressed JSON text with arrays in base64: it is read."""
HEAD = struct.Struct("<8sQ")
MAGIC = b"cairn-s2"
"""Begins a state, before the number of bytes of its JSON; the arrays follow that, each compressed alone."""
ARRAY = {"array", "dtype", "shape"}
"""What the JSON has of an array: its body in base64 in format 1, the number of its bytes from then on."""
PLAIN = (type(None), bool, int, float, str)


def to_bytes(values: Mapping[str, Any]) -> bytes:
    """``values`` (None, bool, int, float, str, arrays, and lists and dicts of them) as bytes.

    >>> from_bytes(to_bytes({"level": np.array([0.1, 2.0]), "next": 7}))["level"].tolist()
    [0.1, 2.0]
    """
    arrays: list[bytes] = []
    text = json.dumps(
        {"format": FORMAT, "values": dict(values)}, default=lambda value: _array(value, arrays), separators=(",", ":")
    )
    packed = zlib.compress(text.encode(), level=1)
    return b"".join((HEAD.pack(MAGIC, len(packed)), packed, *arrays))


def _array(value: Any, arrays: list[bytes]) -> Any:
    """``value`` as JSON; an array is appended to ``arrays``."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        whole = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        bytes_of_each = whole.reshape(-1).view(np.uint8).reshape(whole.size, whole.itemsize)
        arrays.append(zlib.compress(bytes_of_each.T.tobytes(), level=1))  # alike ones side by side
        return {"array": len(arrays[-1]), "dtype": whole.dtype.str, "shape": list(value.shape)}
    raise TypeError(f"{type(value).__name__} is no part of a state")


def from_bytes(stored: bytes) -> dict[str, Any]:
    """The values of :func:`to_bytes`; arrays can be written to.

    Raises
    ------
    DataError
        ``stored`` is damaged or of another format.
    """
    try:
        state = _read(stored)
        if state["format"] not in (1, FORMAT):
            raise KeyError("format")
        return dict(state["values"])
    except (zlib.error, struct.error, ValueError, KeyError, TypeError) as error:
        rule = f"a state of format {FORMAT}"
        raise DataError(
            f"state must be {rule}; it is damaged or of another version", field="state", rule=rule
        ) from error


def _read(stored: bytes) -> Any:
    if not stored.startswith(MAGIC):
        return json.loads(zlib.decompress(stored), object_hook=_of_base64)
    at = HEAD.size + HEAD.unpack(stored[: HEAD.size])[1]
    text = zlib.decompress(stored[HEAD.size : at])

    def array(item: dict[str, Any]) -> Any:  # called in the order of the text, which is that of the arrays
        nonlocal at
        if item.keys() != ARRAY:
            return item
        columns = np.frombuffer(zlib.decompress(stored[at : at + item["array"]]), dtype=np.uint8)
        at += item["array"]
        dtype = np.dtype(item["dtype"])
        values = columns.reshape(dtype.itemsize, len(columns) // dtype.itemsize).T.copy(order="C").reshape(-1)
        return values.view(dtype).reshape(item["shape"])

    state = json.loads(text, object_hook=array)
    if at != len(stored):
        raise ValueError("there is less or more than the arrays")
    return state


def _of_base64(item: dict[str, Any]) -> Any:
    if item.keys() == ARRAY:
        return np.frombuffer(base64.b64decode(item["array"]), dtype=item["dtype"]).reshape(item["shape"]).copy()
    return item


def captured(holder: Any, *, without: frozenset[str] = frozenset()) -> dict[str, Any]:
    """What the attributes of ``holder`` hold, for :func:`to_bytes`, but noise and descriptions."""
    values = {name: value for name, value in vars(holder).items() if name not in without}
    return {name: _captured(value) for name, value in values.items() if not _is_made_again(value)}


def _captured(value: Any) -> Any:
    if isinstance(value, (*PLAIN, np.ndarray)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple | deque):
        return [_captured(item) for item in value]
    if isinstance(value, dict):
        return {key: _captured(item) for key, item in value.items()}
    if _is_made_again(value):  # in a list or dict, where a restored publisher could not keep its own
        raise TypeError(f"{type(value).__name__} must be an attribute, to be left out of a state")
    return captured(value)


def restored(holder: Any, values: Mapping[str, Any]) -> None:
    """Put ``values`` of :func:`captured` into the attributes of a new ``holder`` of the same class."""
    for name, value in values.items():
        setattr(holder, name, _like(getattr(holder, name), value))


def _like(present: Any, value: Any) -> Any:
    """``value`` as what it was captured from, of which ``present`` is the initial value."""
    if isinstance(present, deque):
        return deque(value, maxlen=present.maxlen)
    if isinstance(present, tuple):
        return type(present)(*value) if hasattr(present, "_fields") else tuple(value)
    if isinstance(present, list) and any(_is_holder(item) for item in present):
        return [_like(item, inner) for item, inner in zip(present, value, strict=True)]
    if _is_holder(present):
        restored(present, value)
        return present
    return value


def _is_made_again(value: Any) -> bool:
    """Whether a new publisher makes it itself: noise drawn ahead, random sources, descriptions, frozen facts."""
    about = getattr(type(value), "__dataclass_params__", None)
    return (
        (about is not None and about.frozen)
        or isinstance(value, Component)
        or type(value).__module__.startswith(noise.__name__)
    )


def _is_holder(value: Any) -> bool:
    plain = isinstance(value, (*PLAIN, np.ndarray, np.generic, list, tuple, deque, dict))
    return not plain and not _is_made_again(value)
