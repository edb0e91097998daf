"""Arrays of numbers: their types, and several as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def concatenated(parts: Sequence[NDArray[Any]], dtype: type[Any] = np.float64) -> NDArray[Any]:
    """The parts one after another, (n,); an empty array of ``dtype`` where there are none."""
    return np.concatenate(parts) if len(parts) else np.empty(0, dtype)
