"""A kernel: a numba dispatcher of a declared signature, which a single process at a time compiles and stores."""

from __future__ import annotations

import fcntl
import inspect
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from privacy_engine.core.progress import advance, announce

PATIENCE_S, RETRIED_EVERY_S = 20.0, 0.02
"""So long a process waits for another that compiles the same kernel, perhaps at low priority."""
COMPILING = "Compiling what this needs, the first time"
declared: list[Kernel] = []
"""Kernels with a signature, in the order of their modules' imports."""


def out(written: Any) -> _Out:
    """The type of an argument into which a kernel writes."""
    return _Out(written)


class _Out:
    def __init__(self, written: Any) -> None:
        self.written = written


def _numba_type(kind: Any) -> Any:
    """The numba type of an argument: arrays may be read-only ones unless they are :func:`out`."""
    if isinstance(kind, _Out):
        return kind.written
    if isinstance(kind, tuple):
        return types.Tuple([_numba_type(part) for part in kind])
    if isinstance(kind, types.Array):
        return kind.copy(readonly=True)
    return kind


class _SharedCache(FunctionCache):
    """numba's cache on disk, where a single process at a time compiles a kernel and the others wait for it.

    Numba alone would compile it in each of them, and two that store specialisations of a kernel at once can leave
    an index that names the machine code of the other. A process that is killed holds no lock.
    """

    _lock: int | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is stored for ``sig``; or None, then this process holds the lock until :meth:`release`."""
        overload = super().load_overload(sig, target_context)
        if overload is None:
            announce(COMPILING)
        if overload is None and self._acquired():
            overload = super().load_overload(sig, target_context)
        return overload

    def _acquired(self) -> bool:
        try:
            self._impl.locator.ensure_cache_path()
            path = Path(self.cache_path) / f"{self._impl.filename_base}.lock"
            self._lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            self.disable()  # a folder in which nothing can be stored
            return False
        give_up = time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up:
            try:
                fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                advance()
                time.sleep(RETRIED_EVERY_S)
            else:
                return True
        self.disable()  # compiled for this process alone
        return False

    def release(self) -> None:
        """Let others compile it."""
        self.enable()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class Kernel(CPUDispatcher):
    """``function`` compiled for the types of ``signature`` alone, or, without, as other kernels call it.

    It is compiled at its first call, or with the first kernel that calls it.
    """

    __name__: str
    _can_compile: bool

    def __init__(
        self, function: Callable[..., Any], signature: tuple[Any, ...] | None, options: dict[str, Any]
    ) -> None:
        super().__init__(py_func=function, targetoptions=options, pipeline_class=Compiler)
        self._cache = _SharedCache(function)
        self.signature = None if signature is None else tuple(_numba_type(kind) for kind in signature)
        if signature is not None:
            declared.append(self)

    def compile(self, sig: Any) -> Any:
        """Compile for ``sig``, load that from the disk, or wait for the process that compiles it."""
        with global_compiler_lock:  # a single thread at a time has the cache's lock
            try:
                return super().compile(sig)
            finally:
                self._cache.release()

    def prepare(self) -> None:
        """Make the declared signature ready, and refuse every other."""
        if self.signature is not None and self._can_compile:
            with global_compiler_lock:
                if self._can_compile:
                    self.compile(self.signature)
                    self.disable_compile()

    @property
    def is_stored(self) -> bool:
        """Whether machine code for the declared signature is on disk."""
        cache: Any = self._cache
        context: Any = self.targetctx
        named = cache._cache_file._load_index().get(cache._index_key(self.signature, context.codegen()))
        return named is not None and Path(cache._cache_file._data_path(named)).exists()

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """As other kernels call it: with arguments that the declared types can be converted from."""
        self.prepare()
        return super().get_call_template(args, kws)

    def add_overload(self, cres: Any) -> None:
        if not self.targetoptions.get("no_cpython_wrapper"):
            super().add_overload(cres)
        else:  # what is called from Python has a wrapper: the dispatcher would call an address that is none
            self.overloads[tuple(cres.signature.args)] = cres

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        if self.targetoptions.get("no_cpython_wrapper"):
            raise TypeError(f"{self.__name__} is a part of other kernels, and cannot be called")
        if self.signature is None:
            return super()._compile_for_args(*args, **kws)  # type: ignore[misc]
        self.prepare()
        if self.py_func.__code__.co_flags & inspect.CO_VARARGS:
            return lambda *folded: self(*folded[:-1], *folded[-1])
        return self
