"""The few numba loops that decide the speed: plain arrays in, plain arrays out.

Nothing else imports numba, and callers import a kernel inside the function that needs it: importing numba takes a
quarter of a second that ``--help`` and most requests have no use for.
"""

import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

from numba import config
from numba.core import event
from numba.core.codegen import get_host_cpu_features

from privacy_engine.core.kernel_folder import folder
from privacy_engine.core.progress import advance
from privacy_engine.kernels.kernel import Kernel, out

__all__ = ["CACHE_FOLDER", "compiled", "compiled_for", "inlined", "out"]

F = TypeVar("F", bound=Callable[..., Any])
REPORTED_EVERY_S = 0.5


CACHE_FOLDER = str(folder(getattr(config, "CACHE_DIR", "")))
setattr(config, "CACHE_DIR", CACHE_FOLDER)  # noqa: B010 (numba makes its settings as it starts: they have no types)


def _features() -> str | None:
    """Return the processor's features with vectors of 512 bits, where they are worth it; None if a caller set them.

    The compiler prefers 256 bits on Intel's processors. That is right for the first ones with 512, which lower their
    clock for them, and not for those since VBMI2 (2019). Only speed depends on this: no operation changes.
    """
    name, given = (getattr(config, setting, None) for setting in ("CPU_NAME", "CPU_FEATURES"))
    if name or given is not None:
        return cast(str | None, given)
    features = str(get_host_cpu_features())
    return f"{features},-prefer-256-bit" if "+avx512vbmi2" in features else None


setattr(config, "CPU_FEATURES", _features())  # noqa: B010


class _Reports(event.Listener):
    """Reports while kernels are compiled: a pass of LLVM can take many seconds, and reports nothing itself."""

    def __init__(self) -> None:
        self._lock, self._open, self._over = threading.Lock(), 0, threading.Event()

    def on_start(self, event: Any) -> None:
        """At the beginning of a kernel's compilation, of which others may be a part."""
        with self._lock:
            self._open += 1
            if self._open == 1:
                self._over = threading.Event()
                threading.Thread(target=_report_until, args=(self._over,), daemon=True).start()

    def on_end(self, event: Any) -> None:
        """At its end."""
        with self._lock:
            self._open -= 1
            if not self._open:
                self._over.set()


def _report_until(over: threading.Event) -> None:
    while not over.wait(REPORTED_EVERY_S):
        advance()


event.register("numba:compile", _Reports())


OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
INLINED = OPTIONS | {"forceinline": True, "no_cpython_wrapper": True}


class Decorator(Protocol):
    """What makes a kernel of a function, of the same type."""

    def __call__(self, function: F, /) -> F: ...


def _decorator(signature: tuple[Any, ...] | None, options: dict[str, Any]) -> Decorator:
    def decorated(function: F) -> F:
        return cast(F, Kernel(function, signature, options))

    return decorated


def compiled_for(*signature: Any) -> Decorator:
    """Compile a kernel for arguments of these types alone; see :func:`compiled`.

    Types are numba's: ``f8[::1]`` is an array in C's order, read-only or not; an array that is written to is
    ``out(f8[::1])``, and a tuple of types stands for a tuple. What Python passes otherwise is a TypeError.
    """
    return _decorator(signature, OPTIONS)


def compiled(function: F) -> F:
    """``function`` compiled at its first call, kept on disk, run without the interpreter's lock.

    A division by zero gives inf or nan as in numpy: a division that could raise would keep loops from being vectorised.
    No operation is reordered or fused, so that results are the same on every processor.
    """
    return _decorator(None, OPTIONS)(function)


def inlined(function: F) -> F:
    """As :func:`compiled`, made part of every loop that calls it; Python cannot call it.

    It is compiled for the types and the constants of each call.
    """
    return _decorator(None, INLINED)(function)
