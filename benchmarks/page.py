"""What was measured, as a page: figures beside their targets and references."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version

REFERENCES = {"plain": "plain Python", "numpy": "numpy", "scipy": "scipy", "library": "the usual library"}

HEAD = """# Benchmarks

Written by `make bench`, which writes and prints this page.

**How.** The engine and its references run in one process, in turns: CPU time of the thread, medians of the rounds,
after a first run that compiles. Ratios (×) state how many times longer the reference took; they mean more than the
times, which depend on the machine. Both sides must give equal results or the run fails: to 1e-12 relative where
they are numbers (1e-6 for mean errors in metres), exactly where they are choices, by law where they are random
draws (the distance of the empirical distribution from the exact one; false alarms 1e-6). A reference that would
take minutes does a part of the work and is scaled up; the part is named. The references are in
`benchmarks/references/`; *scipy* is `lambertw` for noise and `linprog` for temporal loss; *the usual library* is
named in its line. Nothing is claimed about software that is not installed here.

**Targets** were set before the engine was built, on another machine. Where a time comes with a ratio to scipy, that
is the time of scipy's routine there over the target: the target of the engine, whatever runs it.
"""


@dataclass(frozen=True)
class Target:
    """At most ``seconds`` for what is shown, at least these ratios to references; ``why`` if it is known to miss."""

    seconds: float
    ratios: Mapping[str, float] = field(default_factory=dict)
    why: str = ""

    def __str__(self) -> str:
        ratios = [f"≥ {ratio:,.0f}× {REFERENCES[name]}" for name, ratio in self.ratios.items()]
        return "; ".join([f"≤ {amount(self.seconds)}", *ratios])


@dataclass(frozen=True)
class Figure:
    """One line: ``seconds`` of the engine and of each reference for the same work, ``notes`` on the references."""

    item: str
    what: str
    seconds: float
    references: Mapping[str, float]
    notes: Mapping[str, str]
    target: Target | None = None

    def ratio(self, name: str) -> float:
        return self.references[name] / self.seconds

    def cells(self) -> list[str]:
        return [
            self.item,
            self.what,
            str(self.target) if self.target else "",
            amount(self.seconds),
            *(self._reference(name) for name in REFERENCES),
            self._verdict(),
        ]

    def _reference(self, name: str) -> str:
        if name not in self.references:
            return ""
        note = f"; {self.notes[name]}" if self.notes.get(name) else ""
        return f"{amount(self.references[name])} (**{significant(self.ratio(name))}×**{note})"

    def _verdict(self) -> str:
        if not self.target:
            return ""
        missed = [f"time {self.seconds / self.target.seconds:.2f} of the target"] * (self.seconds > self.target.seconds)
        for name, wanted in self.target.ratios.items():
            if self.ratio(name) < wanted:
                missed.append(f"ratio to {REFERENCES[name]} {self.ratio(name) / wanted:.2f} of the target")
        if not missed:
            return "met"
        kept = " (ratio met)" if self.target.ratios and len(missed) == 1 and missed[0].startswith("time") else ""
        return f"**missed**: {', '.join(missed)}{kept}. {self.target.why or 'Cause not known.'}"


@dataclass(frozen=True)
class Finding:
    """One line without a reference: what was found about ``what`` and whether its target, if any, is met."""

    item: str
    what: str
    target: str
    found: str
    met: bool | None

    def cells(self) -> list[str]:
        verdict = {None: "", True: "met", False: "**missed**"}[self.met]
        return [self.item, self.what, self.target, self.found, *[""] * len(REFERENCES), verdict]


def amount(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * 0.9995:
            return f"{significant(seconds / size)} {unit}"
    return f"{significant(seconds / 1e-9)} ns"


def significant(value: float) -> str:
    """Three digits that count, two below ten."""
    digits = 2 if value < 10 else 3
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if rounded >= 10 ** (digits - 1) else f"{rounded:g}"


def table(lines: list[Figure | Finding]) -> str:
    """The lines that have an item, or those that have none."""
    head = ["item", "what", "target", "measured", *REFERENCES.values(), "target met?"]
    rows = [head, ["---"] * len(head), *(line.cells() for line in lines)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows) + "\n"


def machine() -> str:
    """Facts that decide the times, and none that name the machine."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))
    return (
        f"**Machine.** {os.cpu_count()} cores, {platform.machine()}; Python {platform.python_version()}, {packages}.\n"
    )


def page(lines: list[Figure | Finding], seconds: float) -> str:
    """The whole page."""
    items = sorted((line for line in lines if line.item), key=lambda line: line.item)
    further = [line for line in lines if not line.item]
    return "\n".join(
        [HEAD, machine(), f"The run took {seconds:.0f} s.\n", table(items), "## Further figures\n", table(further)]
    )
