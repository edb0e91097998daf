"""The state of a publisher as bytes: JSON in which arrays are base64, compressed. No code is stored or run."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from privacy_engine.errors import DataError

FORMAT = 1
MOST_BYTES = 1 << 30


def to_bytes(values: Mapping[str, Any]) -> bytes:
    """``values`` (None, bool, int, float, str, arrays, and lists and dicts of them) as bytes.

    >>> from_bytes(to_bytes({"level": np.array([0.1, 2.0]), "next": 7}))["level"].tolist()
    [0.1, 2.0]
    """
    text = json.dumps({"format": FORMAT, "values": dict(values)}, default=_array, separators=(",", ":"))
    return zlib.compress(text.encode(), level=1)


def _array(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        whole = np.ascontiguousarray(value)
        body = base64.b64encode(whole.tobytes()).decode()
        return {"array": body, "dtype": value.dtype.newbyteorder("<").str, "shape": list(value.shape)}
    raise TypeError(f"{type(value).__name__} is no part of a state")


def from_bytes(stored: bytes) -> dict[str, Any]:
    """The values of :func:`to_bytes`; arrays can be written to.

    Raises
    ------
    DataError
        ``stored`` is damaged or of another format.
    """
    try:
        unpacked = zlib.decompressobj().decompress(stored, MOST_BYTES)
        found = json.loads(unpacked, object_hook=_restored)
        if found["format"] != FORMAT:
            raise KeyError("format")
        return dict(found["values"])
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        rule = f"a state of format {FORMAT}"
        raise DataError(
            f"state must be {rule}; it is damaged or of another version", field="state", rule=rule
        ) from error


def _restored(item: dict[str, Any]) -> Any:
    if item.keys() == {"array", "dtype", "shape"}:
        return np.frombuffer(base64.b64decode(item["array"]), dtype=item["dtype"]).reshape(item["shape"]).copy()
    return item
