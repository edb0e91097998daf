"""The types of what the loops of AdaPub take."""

from typing import Any

from numba import b1, f8, i8

FIELDS: tuple[Any, ...] = (
    *(i8, i8, b1, b1, f8),  # Settings
    *(f8[::1], f8[:, ::1], i8[::1], b1[::1], i8[::1], i8[::1], i8[::1], i8[:, ::1], f8[:, ::1]),  # State
    *(i8[::1], i8[:, ::1], f8[:, ::1]),  # Long
    *(i8[::1], i8[::1], i8[::1], f8[:, ::1], i8[::1]),  # Draws
    *(i8[:, ::1], i8[:, ::1]),  # Trace
)
"""Types of the fields that ``advance`` takes, in the order of the tuples in :mod:`privacy_engine.kernels.adapub`."""
