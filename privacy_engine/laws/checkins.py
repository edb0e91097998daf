"""Laws of the mechanisms of check-ins. Statistical ones state their seed."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.data import CheckIns
from privacy_engine.data.venues import Venues
from privacy_engine.laws.base import (
    SEED,
    Case,
    Laws,
    Mechanisms,
    NotChecked,
    example,
    variants,
)
from privacy_engine.recommender import Recommender, model_digest

SIDE = 4
BOX = {"west": 0.0, "south": 0.0, "east": 4.0, "north": 4.0, "side": SIDE}
GIVEN: dict[str, Any] = {"epsilon": 0.7, "contributions": 3, **BOX}
ADAPTER = LAWS = Laws(CheckIns.kind, GIVEN)
UNITS = [(unit, relation) for unit in ("user", "record") for relation in ("add-remove", "replace-one")]
USERS: tuple[list[list[int]], ...] = ([], [[1, 2, 3]], [[0, 15, 0, 15], [5]], [[-1, 5, 5, 6, 7], [5], [], [3, 2, 1]])
"""Uploads: the cells of each user, in turn; -1 lies outside the box."""
TRIALS = 3_000


def venues_of(side: int) -> Venues:
    """A listed venue in the middle of each cell of the box."""
    cells: Any = np.arange(side**2)
    lon, lat = ((at + 0.5) * (4 / side) for at in (cells % side, cells // side))
    return Venues([str(cell) for cell in cells], lon, lat, [""] * len(cells))


VENUES = venues_of(SIDE)


def in_cells(cells: Any, **places: Any) -> CheckIns:
    """Check-ins in the middle of these cells, a list for each user; -1 lies outside the box."""
    lists = list(cells)
    user = np.repeat(np.arange(len(lists)), [len(one) for one in lists])
    flat = np.array([cell for one in lists for cell in one], dtype=np.int64)
    lon, lat = (np.where(flat < 0, -1.0, at + 0.5) for at in (flat % SIDE, flat // SIDE))
    names = [f"u{i}" for i in range(len(lists))]
    return CheckIns(user, names, np.arange(len(flat), dtype=np.float64), lon=lon, lat=lat, **places)


def uploaded(cells: Any) -> CheckIns:
    """Check-ins in the middle of these cells, a list for each user, each at the listed venue of its cell."""
    flat = np.array([cell for one in cells for cell in one], dtype=np.int64)
    return in_cells(cells, place=flat % (SIDE**2 + 1), places=[*VENUES.ids, "outside"], venues=VENUES)


def cases(cls: Mechanisms) -> Iterator[tuple[Case, Any, Any]]:
    """Each variant over each upload, the least first."""
    for users in USERS:
        for mechanism in variants(cls, **GIVEN):
            yield Case(mechanism, f"users in the cells {users}"), mechanism, uploaded(users)


@LAWS.add("seed", "The same seed gives the same model, another one another, and the input stays as it was.")
def seed_decides(cls: Mechanisms) -> None:
    for case, mechanism, data in cases(cls):
        before = data.lon.copy()
        digests = [model_digest(mechanism.release(data, rng=noise.seeded(seed))) for seed in (SEED, SEED, 8)]
        case.require(digests[0] == digests[1], f"two models with seed {SEED} differ")
        if cls.publishable and len(data.lon) > 3:
            case.require(digests[0] != digests[2], f"seeds {SEED} and 8 give one model")
        case.require(np.array_equal(data.lon, before), "the input was changed")


@LAWS.add("model", "A model read back from JSON scores every history as before, with finite numbers.")
def stored_model(cls: Mechanisms) -> None:
    for case, mechanism, data in cases(cls):
        model = mechanism.release(data, rng=noise.seeded(SEED))
        back = Recommender.from_dict(json.loads(json.dumps(model.as_dict())))
        for history in ([], [2], [0, 1, 2, 3, 15]):
            scores = model.scores(history)
            case.require(np.isfinite(scores).all(), f"after {history} a score is no finite number")
            case.require(np.array_equal(back.scores(history), scores), f"read back it scores {history} otherwise")


@LAWS.add("budget", "What one user, or one check-in, changes spends at most ε in all queries together.")
def within_the_budget(cls: Mechanisms) -> None:
    if not cls.publishable:
        raise NotChecked("it states no guarantee")
    rng = np.random.default_rng(SEED)
    for users in USERS[1:]:
        more = rng.integers(-1, SIDE**2, 7).tolist()
        for unit, relation in UNITS:
            mechanism = example(cls, **GIVEN | {"privacy_unit": unit, "relation": relation})
            pair = _neighbours([list(one) for one in users], more, unit, relation)
            one, other = map(mechanism.prepared, map(uploaded, pair))
            queries = mechanism.logged(uploaded(pair[0]), rng=noise.seeded(SEED)).queries
            spent = sum(query.spent(one, other) for query in queries)
            case = Case(mechanism, f"users in the cells {pair[0]} and {pair[1]}")
            case.require(spent <= mechanism.epsilon * (1 + 1e-12), f"{spent:.6g} is spent of {mechanism.epsilon:g}")


def _neighbours(users: list[list[int]], more: list[int], unit: str, relation: str) -> tuple[Any, Any]:
    """Two uploads: one user (or check-in) more, or another in its place."""
    replaced = relation == "replace-one"
    if unit == "user":
        return [*users, more[::-1]] if replaced else users, [*users, more]
    first, *rest = users
    return [[*first, more[0]] if replaced else first, *rest], [[*first, more[1]], *rest]


LAWS.add_audit({"epsilon": 1.5, **BOX, "side": 2, "contributions": 3}, TRIALS)
