"""``beside`` times the engine beside its references; the results are printed, and written to ``--page``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.floors import Floor
from benchmarks.page import Figure, Finding, Target, page
from benchmarks.timing import PATIENCE_S, ROUNDS, SHORTEST_S, Side, Turns, cpu_s

LINES = pytest.StashKey[list[Figure | Finding]]()
STARTED = pytest.StashKey[float]()


@pytest.fixture
def beside(benchmark: Any, request: pytest.FixtureRequest) -> Callable[..., Figure]:
    """Time ``engine`` and its references in turns, and put them on a line of the page."""

    def measure(
        what: str,
        engine: Side,
        *,
        item: str = "",
        unit: str = "",
        each: bool = False,
        target: Target | None = None,
        floors: Sequence[Floor] = (),
        **references: Side,
    ) -> Figure:
        """``references`` are of :data:`page.REFERENCES`; ``floors`` are those of one call of ``engine``.

        ``each``: show one ``unit``.
        """
        once = cpu_s(engine.work)  # compiles, or loads what was compiled before
        if once < PATIENCE_S:
            once = cpu_s(engine.work)
        loops, rounds = math.ceil(SHORTEST_S / once), max(1, min(ROUNDS, round(PATIENCE_S / once)))
        turns = {name: Turns(side) for name, side in references.items()}
        lowest = [Turns(floor.side()) for floor in floors]

        def others() -> None:
            for reference in (*turns.values(), *lowest):
                reference.take()

        def ours() -> None:
            for _ in range(loops):
                engine.work()

        benchmark.pedantic(ours, setup=others, rounds=rounds)
        shown = 1 if each else engine.size
        shown_floors = [Floor(floor.kind, floor.count / engine.size * shown) for floor in floors]
        figure = Figure(
            item,
            f"{what}, {unit}" if each else what,
            benchmark.stats.stats.median / loops / engine.size * shown,
            {name: reference.seconds * shown for name, reference in turns.items()},
            {
                name: f"from {side.size:,} of {engine.size:,} {unit}"
                for name, side in references.items()
                if side.size < engine.size and not each
            },
            target,
            {floor: turn.seconds * floor.count for floor, turn in zip(shown_floors, lowest, strict=True)},
        )
        request.config.stash[LINES].append(figure)
        return figure

    return measure


@pytest.fixture
def finding(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Add a line that is no time."""
    return lambda *cells: request.config.stash[LINES].append(Finding(*cells))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--page", type=Path, help="write what was measured to this file")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LINES], config.stash[STARTED] = [], time.monotonic()


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    text = page(config.stash[LINES], time.monotonic() - config.stash[STARTED])
    terminalreporter.write_line(text)
    target = config.getoption("page")
    if target and exitstatus == pytest.ExitCode.OK:
        target.write_text(text)
        terminalreporter.write_line(f"Written to {target}")
