"""What a worker loads before it forks: its processes share that memory."""

from importlib import import_module

SHARED = ("privacy_engine.experiments", "pyarrow.compute", "pyarrow.csv", "pyarrow.parquet")
"""What most jobs import; nothing of pyarrow is called, since that starts threads, and threads do not fork."""


def load() -> None:
    """Load what most jobs call, and of that what is compiled already."""
    for name in SHARED:
        import_module(name)
    from privacy_engine.kernels.order import USUAL, every

    for kernel in every(USUAL):
        if kernel.is_stored:
            kernel.prepare()
