"""CPU time of fits and recommendations of every check-in mechanism on a million check-ins, beside plain Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.explorer_city import BOX, explorer_city
from benchmarks.recommendation_runs import label, models, variants
from benchmarks.references.recommendation import COUNTED, plain_fit
from privacy_engine import noise
from privacy_engine.data import CheckIns
from privacy_engine.experiments.presets.base import with_examples
from privacy_engine.mechanisms.base.mechanism import Mechanism, mechanisms

USERS, PER_USER, SIDE = 20_000, 50, 16
ROUNDS, PLAIN_USERS, REQUESTS = 5, 4_000, 500
HEAD = ("mechanism", "fit_user_s", "fit_record_s", "plain_record_s", "plain_ratio", "first_p95_ms", "later_p95_ms")


def cpu_s(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The least CPU time of several calls, in seconds."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def described(one: dict, unit: str) -> Mechanism:
    """A mechanism on the grid of the generated city."""
    known = dict(zip(("west", "south", "east", "north"), BOX, strict=True))
    known |= {"epsilon": 1.0, "side": SIDE, "privacy_unit": unit}
    return mechanisms.parse(with_examples(mechanisms[one["name"]], known) | one)


def latency_ms(mechanism: Mechanism, data: CheckIns) -> tuple[float, float]:
    """The 95th percentile of the time of a recommendation in milliseconds, of the first ones of a model and later."""
    model, rng = mechanism.release(data, rng=noise.seeded(2)), np.random.default_rng(3)
    histories = rng.integers(0, SIDE**2, (REQUESTS, 1)).tolist()
    found = []
    for _ in range(2):
        taken = []
        for history in histories:
            start = time.process_time()
            model.recommend(history, 10)
            taken.append(time.process_time() - start)
        found.append(1e3 * float(np.quantile(taken, 0.95)))
    return found[0], found[1]


def speed() -> Iterator[list[str]]:
    """Rows of :data:`HEAD`: CPU of a fit by unit, of plain Python at record level, and of a recommendation."""
    data = explorer_city(USERS, PER_USER)
    part = np.flatnonzero(data.user < PLAIN_USERS)
    few = list(zip(data.user[part].tolist(), data.lon[part].tolist(), data.lat[part].tolist(), strict=True))
    for one in (one for name in models() if name in COUNTED for one in variants(name)):
        users, records = (described(one, unit) for unit in ("user", "record"))
        fits = [cpu_s(lambda m=m: m.release(data, rng=noise.seeded(1))) for m in (users, records)]
        slow = cpu_s(partial(plain_fit, one["name"], few, records.grid, len(data)), 1) * len(data) / len(few)
        first, later = latency_ms(records, data)
        plain = [f"{slow:.2f}", f"{slow / fits[1]:.1f}"]
        yield [label(records), *(f"{each:.3f}" for each in fits), *plain, f"{first:.2f}", f"{later:.2f}"]
