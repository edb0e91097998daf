"""What was measured, as a page: figures beside their goals, peers and floors."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version

from benchmarks.floors import KINDS, Floor
from benchmarks.written import commit

REFERENCES = {"plain": "plain Python", "numpy": "numpy", "scipy": "scipy"} | {
    name: name for name in ("numba", "polars", "library")
}

HEAD = """# Benchmarks

Written by `make bench`, which writes and prints this page. Files, jobs and pages that take minutes are in
[measurements.md](measurements.md).

**How.** The engine and its peers run in one process, in turns: CPU time of all threads, medians of the rounds,
after a first run that compiles. Both sides must give equal results or the run fails: to 1e-12 relative where
they are numbers (mean errors in metres to 1e-6, to 1e-2 where numba finds them on a plane), exactly where they are
choices, by law where they are random draws (the distance of the empirical distribution from the exact one; false
alarms 1e-6). A peer that would take minutes does a part of the work and is scaled up; the part is named. The peers
are in `benchmarks/references/`; *scipy* is `lambertw` for noise and `linprog` for temporal loss; *numba* is what
whoever knows numba writes in 40 lines; *polars* has one thread, and neither checks nor sorts what it reads; *library*
is named in its line. Nothing is claimed about software that is not installed here.

**Goals are ratios**, since times depend on the machine. They were set before the engine was built, on another machine.
*Ratio to a peer* states how many times longer the peer took, which should be much. *Ratio to the floor* states how
many times longer the engine took than work that is timed alone in the same run, which should be little. The goal of
the first floor is the design's time for the engine over the time assumed for the floor. The design's time is in
brackets beside what was measured, as information: it decides nothing. The floors are:

FLOORS
"""


@dataclass(frozen=True)
class Target:
    """At least these ratios to peers, at most the design's ``seconds`` for what is shown over the floor's.

    ``why`` explains a known miss.
    """

    seconds: float
    ratios: Mapping[str, float] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True)
class Figure:
    """One line: ``seconds`` of the engine and of each peer for the same work, ``notes`` on the peers.

    ``floors`` are how much of which floor the work has, with the measured seconds; the first has the goal.
    """

    item: str
    what: str
    seconds: float
    references: Mapping[str, float]
    notes: Mapping[str, str]
    target: Target | None = None
    floors: Mapping[Floor, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.target and not (self.target.ratios or self.floors):
            raise ValueError(f"a target needs a ratio to a peer or a floor: {self.what}")

    def ratio(self, name: str) -> float:
        return self.references[name] / self.seconds

    @property
    def floor_goal(self) -> float:
        """The most times the floor; inf if there is no goal."""
        return self.target.seconds / next(iter(self.floors)).assumed_s if self.target and self.floors else math.inf

    def cells(self) -> list[str]:
        design = f" ({amount(self.target.seconds)})" if self.target else ""
        peers = "; ".join(self._peer(name) for name in REFERENCES if name in self.references)
        return [self.item, self.what, amount(self.seconds) + design, peers, self._floor(), self._verdict()]

    def _peer(self, name: str) -> str:
        wanted = self.target.ratios.get(name) if self.target else None
        goal = f"goal ≥ {wanted:,.0f}×, " if wanted else ""
        note = f", {self.notes[name]}" if self.notes.get(name) else ""
        return f"{REFERENCES[name]} **{significant(self.ratio(name))}×** ({goal}{amount(self.references[name])}{note})"

    def _floor(self) -> str:
        goals = [f"goal ≤ {significant(self.floor_goal)}×, " if self.target else ""] + [""] * len(self.floors)
        return "; ".join(
            f"**{significant(self.seconds / seconds)}×** ({goal}{amount(seconds)} for {floor})"
            for goal, (floor, seconds) in zip(goals, self.floors.items(), strict=False)
        )

    def _verdict(self) -> str:
        if not self.target:
            return ""
        missed = [
            f"ratio to {REFERENCES[name]} {self.ratio(name) / wanted:.2f} of the goal"
            for name, wanted in self.target.ratios.items()
            if self.ratio(name) < wanted
        ]
        for seconds in list(self.floors.values())[:1]:
            if (share := self.seconds / seconds / self.floor_goal) > 1:
                missed.append(f"ratio to the floor {share:.2f} of the goal")
        if not missed:
            return "met"
        return f"**missed**: {', '.join(missed)}. {self.target.why or 'Cause not known.'}"


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
        found = f"{self.found} (goal: {self.target})" if self.target else self.found
        return [self.item, self.what, found, "", "", verdict]


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
    head = ["item", "what", "measured (design)", "ratio to peer", "ratio to floor", "goals met?"]
    rows = [head, ["---"] * len(head), *(line.cells() for line in lines)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows) + "\n"


def machine() -> str:
    """Facts that decide the times, and none that name the machine."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba", "polars"))
    return (
        f"**Machine.** {os.cpu_count()} cores, {platform.machine()}; Python {platform.python_version()}, {packages}.\n"
    )


def page(lines: list[Figure | Finding], seconds: float) -> str:
    """The whole page."""
    items = sorted((line for line in lines if line.item), key=lambda line: line.item)
    further = [line for line in lines if not line.item]
    floors = "\n".join(
        f"- *{kind.unit}*: {kind.text}; assumed {amount(kind.assumed_s)} each." for kind in KINDS.values()
    )
    return "\n".join(
        [
            HEAD.replace("FLOORS", floors),
            machine(),
            f"One run of {commit()}, on {date.today():%d %B %Y}; it took {seconds:.0f} s.\n",
            table(items),
            "## Further figures\n",
            table(further),
        ]
    )
