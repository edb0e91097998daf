"""Every kernel that is called from Python, in the order of use: an upload, its release, their comparison, the rest."""

from collections.abc import Sequence
from importlib import import_module

from privacy_engine.kernels.kernel import Kernel, declared

USUAL = (
    *("siphash", "event_cells", "medians", "certified", "staypoints", "adaptive"),
    *("joint_plan", "reach_envelope", "lanes", "dispatch", "simulation", "joint", "envelope"),
)
"""Modules of what most jobs call."""
MODULES = (
    *USUAL,
    *("temporal", "philox", "warping", "jumps", "laplace", "heuristic_dummies", "partitioned_dummies"),
    *("optimal_dummies", "pairwise", "tree", "stream_groups", "kalman", "stream_total", "stream_levels"),
    *("laplace_filter", "level_bank", "level_grid", "adapub"),
)


def every(names: Sequence[str] = MODULES) -> list[Kernel]:
    """The kernels of modules with a signature; a kernel that is a part of others is ready with the first of them."""
    for name in names:
        import_module(f"privacy_engine.kernels.{name}")
    place = {f"privacy_engine.kernels.{name}": at for at, name in enumerate(names)}
    return sorted((item for item in declared if item.__module__ in place), key=lambda item: place[item.__module__])
