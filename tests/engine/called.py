"""Kernels that are a part of others, as Python may call them."""

from functools import cache

from numba import njit


@cache
def called(kernel):
    """``kernel``, compiled once more with a way for Python to call it, and not stored."""
    return njit(nogil=True, error_model="numpy")(kernel.py_func)
