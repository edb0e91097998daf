"""Compile the engine's kernels into their cache, at low priority, in the order in which pages need them.

Usage: ``python -m dashboard.launcher.warm`` (``make run`` does it once the first page is there, and the image's build).
Whoever needs a kernel meanwhile compiles that one, or waits for it if it is at hand. It may be killed at any time.
"""

import os
import shutil
from pathlib import Path

from privacy_engine import kernel_folder


def main() -> None:
    os.nice(19)
    from privacy_engine.kernels.order import every

    sweep()
    for kernel in every():
        if not kernel.is_stored:
            kernel.prepare()
    kernel_folder.mark_complete()


def sweep() -> None:
    """Remove what kernels of earlier versions were compiled to."""
    from privacy_engine import kernels

    kept = Path(kernels.CACHE_FOLDER)
    for folder in kept.parent.glob("kernels-*"):
        if folder != kept:
            shutil.rmtree(folder, ignore_errors=True)


def load() -> None:
    """Load what is compiled already, and what the kinds of data compute with: processes forked later share it."""
    from privacy_engine import experiments  # noqa: F401
    from privacy_engine.kernels.order import every

    for kernel in every():
        if kernel.is_stored:
            kernel.prepare()


if __name__ == "__main__":
    main()
