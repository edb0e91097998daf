"""Compile the engine's kernels into their cache, at low priority, in the order in which pages need them.

Usage: ``python -m dashboard.launcher.warm`` (``make run`` does it once the first page is there, and the image's build).
Whoever needs a kernel meanwhile compiles it, or waits for it if it is at hand. It may be killed at any time.
"""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from privacy_engine.core import kernel_folder

if TYPE_CHECKING:
    from privacy_engine.kernels.kernel import Kernel


def main() -> None:
    os.nice(19)
    from privacy_engine.kernels.order import every

    sweep()
    missing = [kernel for kernel in every() if not kernel.is_stored]
    if missing:
        missing[0].prepare()  # loads the compiler, which the processes of the others share
    failed = [name for name, kernels in groupby(missing[1:], key=_module) if not _compiled_in_a_process(kernels)]
    if failed:
        sys.exit(f"not compiled: {', '.join(failed)}")
    kernel_folder.mark_complete()


def _module(kernel: Kernel) -> str:
    return str(kernel.__module__)


def _compiled_in_a_process(kernels: Iterable[Kernel]) -> bool:
    """Compile in a forked process: all in a single process take 560 MB, which stay until it ends, instead of 210."""
    if process := os.fork():
        return os.waitpid(process, 0)[1] == 0
    code = 1
    try:
        for kernel in kernels:
            kernel.prepare()
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(code)


def sweep() -> None:
    """Remove what kernels of earlier versions were compiled to."""
    from privacy_engine import kernels

    kept = Path(kernels.CACHE_FOLDER)
    for folder in kept.parent.glob("kernels-*"):
        if folder != kept:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
