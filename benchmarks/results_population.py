"""Flows of a population: errors, intervals and the membership attack: docs/results/data/population*.csv; speed.

    python -m benchmarks.results_population [--draws 20] [--data ../shared/data/checkins]

Trips are between successive check-ins of Gowalla in the box within 24 h. The error is the total variation distance
between shares of the estimate and of the true weights. With --big the memory of 10^6 people with 50 trips each.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.recommendation_sets import DATA, EVENTS, gowalla
from benchmarks.written import commit, save
from privacy_engine import noise
from privacy_engine.aggregation.trips import rule_of, trips_of
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data import CheckIns
from privacy_engine.data.trips import Trips
from privacy_engine.population.flows import Flows, flows_gravity, flows_laplace, flows_posterior, flows_sampled
from privacy_engine.population.membership import membership, most_accurate
from privacy_engine.population.places import Places, places_of
from privacy_engine.population.weights import UNITS, flow_weights, pairs_of

BOX = (-74.05, 40.68, -73.90, 40.85)
SIDES, LEVELS = (8, 16, 24), (0.5, 1.0, 2.0, 5.0, 10.0)
RELEASES = {"laplace": flows_laplace, "gravity": flows_gravity, "posterior": flows_posterior}
MOST = (1, 2, 5, 10)
"""Trips of a person, of the samples that public tools publish: the best of these by the truth is compared."""


def gowalla_trips(folder: Path = DATA) -> Trips:
    """The trips of all people between check-ins in the box."""
    found = gowalla(folder / EVENTS)
    assert found.lon is not None
    assert found.lat is not None
    west, south, east, north = BOX
    inside = (west < found.lon) & (found.lon < east) & (south < found.lat) & (found.lat < north)
    user, time_s, lon, lat = (column[inside] for column in (found.user, found.time_s, found.lon, found.lat))
    return trips_of(CheckIns(user, found.users, time_s, lon=lon, lat=lat), rule_of("gap:24h"))


def apart(true: Floats | Ints, made: Flows) -> float:
    """Total variation distance of the shares; 1 where nothing is published."""
    total = made.flow.sum()
    return float(0.5 * np.abs(true / true.sum() - made.flow / total).sum()) if total else 1.0


def errors(trips: Trips, draws: int) -> Iterator[tuple[object, ...]]:
    """A row for each grid and level: mean errors, how often intervals hold, seconds of a release."""
    for side in SIDES:
        places = places_of(f"grid:{side}x{side}:{','.join(map(str, BOX))}")
        table, (_, pair) = flow_weights([trips], places), pairs_of(trips, places)
        counts = np.bincount(pair, minlength=len(table))
        between = ~np.eye(len(places), dtype=bool).ravel()
        for epsilon in LEVELS:
            found = {name: [apart(table, one) for one in drawn(release, table, places, epsilon, draws)]
                     for name, release in RELEASES.items()}  # fmt: skip
            began = time.perf_counter()
            made = list(drawn(flows_posterior, table, places, epsilon, draws))
            seconds = (time.perf_counter() - began) / draws
            true = table / UNITS
            holds = np.array([(one.lower <= true + 1e-9) & (true <= one.upper + 1e-9) for one in made])
            sampled = min(
                np.mean([
                    apart(counts, flows_sampled([trips], places, epsilon, most=most, threshold=0.0,
                                                rng=noise.seeded(seed)))
                    for seed in range(3)
                ])
                for most in MOST
            )  # fmt: skip
            to_trips = np.mean([apart(counts, one) for one in made])
            means = [round(float(np.mean(values)), 3) for values in found.values()]
            held = [round(float(holds[:, some].mean()), 3) for some in (between, true > 2 / epsilon)]
            print(side, epsilon, *means, *held, f"{seconds:.2f} s", flush=True)
            yield (side, epsilon, round(table.sum() / UNITS), *means, round(float(sampled), 3),
                   round(float(to_trips), 3), *held, commit())  # fmt: skip


def drawn(release: Callable[..., Flows], table: Ints, places: Places, epsilon: float, draws: int) -> Iterator[Flows]:
    """So many releases, each of a seed of its own."""
    return (release(table, places, epsilon, rng=noise.seeded(seed)) for seed in range(draws))


def attacks(trips: Trips) -> Iterator[tuple[object, ...]]:
    """The membership attack on people with few, many and most trips, where noise is by trip, by pair and by person."""
    person, pair = pairs_of(trips, places_of(f"grid:16x16:{','.join(map(str, BOX))}"))
    people, each = np.unique(person, return_counts=True)
    order = np.argsort(each, kind="stable")
    for name, share in (("median", 0.5), ("90 %", 0.9), ("99 %", 0.99), ("most", 1.0)):
        one = order[min(int(share * len(order)), len(order) - 1)]
        counts = np.bincount(pair[person == people[one]], minlength=256**2).astype(float)
        for epsilon in (0.5, 1.0, 2.0):
            scales = np.full(len(counts), 1 / epsilon)
            for noise_by, change in (("trip", counts), ("pair", np.minimum(counts, 1)), ("person", counts / each[one])):
                found = membership(change, scales)
                bound = round(most_accurate(epsilon), 3) if noise_by == "person" else ""
                yield (name, int(each[one]), epsilon, noise_by, round(found.auc, 3), round(found.accuracy, 3), bound,
                       commit())  # fmt: skip


def big(people: int = 1_000_000, each: int = 50, at_once: int = 20_000) -> None:
    """Seconds and memory of the flows of so many people, whose trips come in parts; the same for other parts."""

    def parts(size: int) -> Iterator[Trips]:
        for first in range(0, people, size):
            rng = np.random.default_rng(first)
            n = size * each
            ends = (rng.uniform(BOX[0], BOX[2], n), rng.uniform(BOX[1], BOX[3], n))
            others = (rng.uniform(BOX[0], BOX[2], n), rng.uniform(BOX[1], BOX[3], n))
            yield Trips(np.repeat(np.arange(size), each), [""] * size, *ends, *others, np.zeros(n), np.ones(n))

    places = places_of(f"grid:24x24:{','.join(map(str, BOX))}")
    began = time.perf_counter()
    table = flow_weights(parts(at_once), places)
    made = flows_posterior(table, places, 1.0, rng=noise.seeded(1))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{people * each:,} trips of {people:,} people: {time.perf_counter() - began:.1f} s, {peak:.0f} MB at most")
    print(f"sum {table.sum() / UNITS:,.0f}, estimated {made.flow.sum():,.0f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--big", action="store_true")
    given = parser.parse_args()
    if given.big:
        big()
    else:
        trips = gowalla_trips(given.data)
        head = ("side", "epsilon", "people", *RELEASES, "sampled_to_trips", "posterior_to_trips", "held", "held_above",
                "commit")  # fmt: skip
        save("population", head, errors(trips, given.draws))
        save("population-membership", ("person", "trips", "epsilon", "noise_by", "auc", "accuracy", "bound", "commit"),
             attacks(trips))  # fmt: skip
