"""What AdaPub's paper claims of its figures and tables, and what was measured: the table of docs/results/papers.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.stream_errors import EPSILONS, PAPER, THRESHOLDS, TREES, WINDOWS
from benchmarks.stream_tables import ARE, PEARSON, SPEARMAN, Measured, least, number, table

MODES = ("code", "text")
"""AdaPub as Algorithm 3 of the paper, and as its text (which has no guarantee)."""
OTHERS = ("bd", "ba", "rescuedp", "pegasus")
"""What the paper compares with in figures 8 to 12."""
CORRELATED = ("Flu", *PAPER)

Claim = tuple[str, str, str]


def claims(found: Measured) -> str:
    """A line for each claim: what is claimed, whether it holds, the figures."""
    makers: list[Callable[[Measured], Iterator[Claim]]] = [
        _laplace, _thresholds, _partition, _lowest, _detected, _correlated, _trees, _leaves, _published, _times,
    ]  # fmt: skip
    return table(["claim of the paper", "holds", "measured"], [list(one) for make in makers for one in make(found)])


def _verdict(held: int, of: int) -> str:
    return "yes" if held == of else "no" if held == 0 else f"in {held} of {of}"


def _both(values: dict[str, tuple[int, int]]) -> str:
    return "; ".join(f"{mode}: {_verdict(*one)}" for mode, one in values.items())


def _laplace(found: Measured) -> Iterator[Claim]:
    held = {mode: (int(_at(found, "Flu", f"adapub {mode}") < _at(found, "Flu", "uniform")), 1) for mode in MODES}
    rows = ("uniform", *(f"adapub {mode}" for mode in MODES))
    text = ", ".join(f"{row} {found.shown('grid', 'Flu', 1.0, 100, row)}" for row in rows)
    yield "Figure 5b: AdaPub follows Flu better than the Laplace mechanism", _both(held), f"ARE at (1, 100): {text}"


def _thresholds(found: Measured) -> Iterator[Claim]:
    held, parts = 0, []
    for name in PAPER:
        by = {g: found.mean("thresholds", name, 1.0, 100, str(g)) for g in THRESHOLDS}
        best = min(by, key=lambda g: by[g])
        held += by[20] <= 1.05 * by[best]
        parts.append(f"{name} {number(by[20])}, least {number(by[best])} at g = {best}")
    yield "Figure 6: ARE is nearly least at g = 20", _verdict(held, len(PAPER)), "; ".join(parts)


def _partition(found: Measured) -> Iterator[Claim]:
    at = [(name, epsilon) for name in PAPER for epsilon in EPSILONS]
    held = [
        (name, epsilon)
        for name, epsilon in at
        if found.grid(name, epsilon, 100, "adapub code", ARE) < found.grid(name, epsilon, 100, "adapub none", ARE)
    ]
    parts = [
        f"{name} {number(found.grid(name, 1.0, 100, 'adapub code', ARE))} with and "
        f"{number(found.grid(name, 1.0, 100, 'adapub none', ARE))} without"
        for name in PAPER
    ]
    text = f"at ε = 1: {'; '.join(parts)}"
    yield "Figure 7: the partition lowers ARE, w = 100", _verdict(len(held), len(at)), text


def _lowest(found: Measured) -> Iterator[Claim]:
    sweeps = (
        ("Figure 8: AdaPub has the least ARE at every ε, w = 100", [(epsilon, 100) for epsilon in EPSILONS]),
        ("Figure 9: AdaPub has the least ARE at every w, ε = 1", [(1.0, window) for window in WINDOWS]),
    )
    for claim, cells in sweeps:
        at = [(name, *cell) for name in PAPER for cell in cells]
        held = {mode: (sum(_is_lowest(found, mode, *one) for one in at), len(at)) for mode in MODES}
        where = [f"{name} ({epsilon:g}, {window})" for name, epsilon, window in at
                 if any(_is_lowest(found, mode, name, epsilon, window) for mode in MODES)]  # fmt: skip
        yield claim, _both(held), f"least of the five on {', '.join(where) or 'no set'}"


def _is_lowest(found: Measured, mode: str, name: str, epsilon: float, window: int) -> bool:
    ours = found.grid(name, epsilon, window, f"adapub {mode}", ARE)
    return all(ours < found.grid(name, epsilon, window, other, ARE) for other in OTHERS)


def _detected(found: Measured) -> Iterator[Claim]:
    for which, claim in enumerate(("Figure 10: AdaPub detects jumps best, Flu", "Figure 11: and low signals")):
        held, parts = dict.fromkeys(MODES, 0), []
        for epsilon in (0.01, 0.1):
            shown = []
            for row in (*(f"adapub {mode}" for mode in MODES), *OTHERS):
                shown.append(f"{row} {found.mean('detection', 'Flu', epsilon, 10, row, which):.2f}")
            parts.append(f"ε = {epsilon:g}: {', '.join(shown)}")
            best = max(found.mean("detection", "Flu", epsilon, 10, other, which) for other in OTHERS)
            for mode in MODES:
                held[mode] += found.mean("detection", "Flu", epsilon, 10, f"adapub {mode}", which) > best
        yield claim, _both({mode: (one, 2) for mode, one in held.items()}), f"areas, w = 10; {'; '.join(parts)}"


def _correlated(found: Measured) -> Iterator[Claim]:
    for which, name in ((PEARSON, "Pearson"), (SPEARMAN, "Spearman")):
        held, best = dict.fromkeys(MODES, 0), []
        for one in CORRELATED:
            by = {row: found.grid(one, 1.0, 100, row, which) for row in (*(f"adapub {m}" for m in MODES), *OTHERS)}
            for mode in MODES:
                others = max(by[other] for other in OTHERS)
                held[mode] += by[f"adapub {mode}"] > others
            most = max(by, key=lambda row: by[row])
            best.append(f"{one} {most} {by[most]:.2f}")
        verdict = _both({mode: (one, len(CORRELATED)) for mode, one in held.items()})
        yield f"Figure 12: AdaPub has the largest {name} correlation", verdict, f"largest: {'; '.join(best)}"


def _trees(found: Measured) -> Iterator[Claim]:
    for shape, figure in (("binary", 13), ("quad", 14)):
        part, at = f"tree {shape}", [(name, epsilon) for name in TREES for epsilon in EPSILONS]
        held, above = ({mode: (sum(is_so(found, part, mode, *one) for one in at), len(at)) for mode in MODES}
                       for is_so in (_hierarchy_is_lowest, _adapub_is_lower))  # fmt: skip
        shown = []
        for name in TREES:
            rows = ("zero", "pegasus", "adapub code", "hieradapub code", "adapub text", "hieradapub text", "shrink")
            values = ", ".join(f"{row} {number(found.mean(part, name, 1.0, 100, row))}" for row in rows)
            shown.append(f"{name}: {values}")
        text = "; ".join(shown)
        yield f"Figure {figure}: HierAdaPub has the least ARE of sums", _both(held), f"at (1, 100): {text}"
        yield f"Figure {figure}: AdaPub is below PeGaSus", _both(above), "of the same sums"


def _hierarchy_is_lowest(found: Measured, part: str, mode: str, name: str, epsilon: float) -> bool:
    rows = ("pegasus", f"adapub {mode} none", f"adapub {mode}")
    ours = found.mean(part, name, epsilon, 100, f"hieradapub {mode}")
    return all(ours < found.mean(part, name, epsilon, 100, row) for row in rows)


def _adapub_is_lower(found: Measured, part: str, mode: str, name: str, epsilon: float) -> bool:
    return found.mean(part, name, epsilon, 100, f"adapub {mode}") < found.mean(part, name, epsilon, 100, "pegasus")


def _leaves(found: Measured) -> Iterator[Claim]:
    several = [name for name in found.sets() if name not in ("Flu", "Unemployment")]
    held = [name for name in several if _at(found, name, "hieradapub") < _at(found, name, "adapub code")]
    parts = [f"{name} {number(_at(found, name, 'hieradapub'))} and {number(_at(found, name, 'adapub code'))}"
             for name in several]  # fmt: skip
    text = f"HierAdaPub and AdaPub at (1, 100): {'; '.join(parts)}"
    claim = "(not in the paper) HierAdaPub is below AdaPub for the dimensions alone"
    yield claim, _verdict(len(held), len(several)), text


def _at(found: Measured, name: str, row: str) -> float:
    """ARE at (1, 100)."""
    return found.grid(name, 1.0, 100, row, ARE)


def _times(found: Measured) -> Iterator[Claim]:
    sets = [name for name in CORRELATED if found.rows("runtime", name, 1.0, 100)]
    times = {name: {row: least(found, name, row) for row in ("adapub code", "pegasus", "rescuedp")} for name in sets}
    held = sum(0.5 <= by["adapub code"] / by["pegasus"] <= 2 for by in times.values())
    parts = [f"{name} {1e6 * by['adapub code']:.0f} and {1e6 * by['pegasus']:.0f} µs" for name, by in times.items()]
    claim = "Table 5: AdaPub takes as long as PeGaSus (within a factor of 2)"
    yield claim, _verdict(held, len(times)), "; ".join(parts)


def _published(found: Measured) -> Iterator[Claim]:
    rows = ("uniform", "sample", "bd", "ba", "fast 10", "rescuedp", "pegasus", "adapub code", "adapub text")
    below = {name: [row for row in rows if _at(found, name, row) < _at(found, name, "zero")] for name in CORRELATED}
    text = "; ".join(f"{name} {', '.join(one) or 'none'}" for name, one in below.items())
    held, of = sum(map(len, below.values())), len(rows) * len(below)
    yield "(not in the paper) published mechanisms are below zeros at (1, 100)", _verdict(held, of), f"below: {text}"
