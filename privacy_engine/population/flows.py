r"""Flows between places, with ε-differential privacy for one person with everything they did, added or removed.

The table of :func:`privacy_engine.population.weights.flow_weights` changes by at most one person in sum, and so do its
sums by origin, by destination and by distance. Each query below adds discrete Laplace noise to whole units, of a share
of ε: together they spend ε, whatever is done with the answers. All else reads noisy numbers and is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.window_ledger import laplace_rate
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import reported
from privacy_engine.data.trips import Trips
from privacy_engine.population.gravity import gravity
from privacy_engine.population.places import Places
from privacy_engine.population.posterior import posterior
from privacy_engine.population.weights import UNITS, in_persons, pairs_of

COUNT_SHARE = 0.01
"""Of ε for the number of persons, on which the other shares depend."""
FEWEST, MOST = (0.3, 0.011), (0.8, 0.44)
"""Shares of ε for sums, and the number of places for each person and ε at which they are best (measured)."""
ALL_ABOVE = 0.83
"""A share for pairs that would be less than the rest is of no use: sums have all of it."""
MISSED = 0.1
"""How often an interval may miss its flow, at most."""
BANDS_SHARE = 0.1
"""Of what sums have: bands of distance are few and large."""
RETURN = 0.5
"""How far the prior of a flow follows the flow back: a power of its ratio to gravity (measured)."""
LEAST = 1e-4


@dataclass(frozen=True, eq=False)
class Flows:
    """Published weights of persons by origin and destination, (k²,) each: an estimate, and an interval of 90 %.

    Whatever a flow is, its interval holds it with a probability of at least 90 %, each flow alone.
    """

    flow: Floats
    lower: Floats
    upper: Floats
    private: bool

    def whole_numbers(self) -> Flows:
        """Itself with estimates rounded so that their sum stays what it is, to the nearest whole number."""
        down = np.floor(self.flow)
        left = round(float(self.flow.sum()) - float(down.sum()))
        down[np.argsort(down - self.flow, kind="stable")[:left]] += 1
        return replace(self, flow=down)


class _Queries:
    """Noisy sums of a table of units, in persons; ``share`` of ε is spent by each."""

    def __init__(self, epsilon: float, rng: noise.RandomSource | np.random.Generator) -> None:
        self.epsilon, self.source = epsilon, noise.as_source(rng)

    def noisy(self, units: Ints, share: float) -> Floats:
        drawn = noise.discrete_laplace(laplace_rate(share * self.epsilon, UNITS), len(units), rng=self.source)
        return in_persons(units + drawn)


def sums(table: Ints, places: Places) -> tuple[Ints, Ints, Ints]:
    """The sums of a table (k²,) by origin (k,), by destination (k,) and by band of distance."""
    square = table.reshape(len(places), -1)
    bands = np.bincount(places.bands.ravel(), table, minlength=int(places.bands.max()) + 1)
    return square.sum(axis=1), square.sum(axis=0), bands.astype(np.int64)


def flows_posterior(
    table: Ints, places: Places, epsilon: float, *, rng: noise.RandomSource | np.random.Generator
) -> Flows:
    r"""The posterior mean of each flow under a prior from noisy sums, and noisy pairs.

    A hundredth of ε goes to the number of persons. The fewer persons and the smaller ε for each place, the more of the
    rest goes to the sums by origin, destination and distance, at least 30 %, each of which adds up many flows; with
    very few persons all of it does, and no flow is measured alone. The prior is gravity, and the flow back: with m that
    of gravity, :math:`m_{od} \sqrt{E_{do} / m_{do}}`, where E is the posterior mean under gravity alone. The noise on
    the flow back is other noise.

    Parameters
    ----------
    table : (k²,) int
        Of :func:`privacy_engine.population.weights.flow_weights`.
    """
    queries = _Queries(epsilon, rng)
    persons = float(queries.noisy(table.sum(keepdims=True), COUNT_SHARE)[0])
    share = sums_share(len(places), epsilon, persons)
    by_sums = _by_gravity(queries, table, places, share * (1 - COUNT_SHARE))
    if share == 1.0:
        return by_sums
    rest = (1 - share) * (1 - COUNT_SHARE)
    noisy = queries.noisy(table, rest)
    scale = 1 / (rest * epsilon)
    mean = _with_returns(noisy, by_sums.flow, scale, len(places))
    return _none_within(_with_interval(mean, noisy, scale, queries.source.private), len(places))


def _with_returns(noisy: Floats, prior: Floats, scale: float, places: int) -> Floats:
    """The posterior mean (k²,) where the prior of each flow follows the flow back."""
    ratio = posterior(noisy, prior, scale).mean / np.maximum(prior, LEAST)
    turned = prior * ratio.reshape(places, -1).T.ravel() ** RETURN
    return posterior(noisy, turned * (prior.sum() / max(float(turned.sum()), LEAST)), scale).mean


def sums_share(places: int, epsilon: float, persons: float) -> float:
    """The share of ε for sums, the rest is for pairs; it depends on public and noisy numbers alone.

    >>> [round(sums_share(64, epsilon, 4500.0), 2) for epsilon in (10.0, 1.0, 0.1, 0.01)]
    [0.3, 0.33, 0.65, 1.0]
    """
    each = places / (epsilon * max(persons, 1.0))
    slope = (MOST[0] - FEWEST[0]) / math.log(MOST[1] / FEWEST[1])
    share = FEWEST[0] + slope * math.log(each / FEWEST[1])
    return 1.0 if share > ALL_ABOVE else max(share, FEWEST[0])


def flows_gravity(
    table: Ints, places: Places, epsilon: float, *, rng: noise.RandomSource | np.random.Generator
) -> Flows:
    """Flows by gravity from noisy sums alone, which have all of ε."""
    return _by_gravity(_Queries(epsilon, rng), table, places, 1.0)


def _by_gravity(queries: _Queries, table: Ints, places: Places, share: float) -> Flows:
    """A flow is at most the sum of its origin and that of its destination: each is missed with half of 10 %."""
    by_end = (1 - BANDS_SHARE) / 2 * share
    shares = by_end, by_end, BANDS_SHARE * share
    origins, destinations, bands = (queries.noisy(*each) for each in zip(sums(table, places), shares, strict=True))
    flow = gravity(origins, destinations, bands, places.bands).ravel()
    reach = math.log(1 / MISSED) / (by_end * queries.epsilon)  # one side: e^(-reach / scale) / 2 each
    upper = np.maximum(np.minimum.outer(origins, destinations).ravel() + reach, 0.0)
    return _none_within(Flows(np.minimum(flow, upper), np.zeros_like(flow), upper, queries.source.private), len(places))


def flows_laplace(
    table: Ints, places: Places, epsilon: float, *, rng: noise.RandomSource | np.random.Generator
) -> Flows:
    """Each flow with noise, at least 0: all of ε goes to pairs."""
    queries = _Queries(epsilon, rng)
    noisy = queries.noisy(table, 1.0)
    flows = Flows(np.maximum(noisy, 0.0), *_interval(noisy, 1 / epsilon), queries.source.private)
    return _none_within(flows, len(places))


def flows_sampled(
    trips: Iterable[Trips],
    places: Places,
    epsilon: float,
    *,
    most: int,
    threshold: float,
    rng: noise.RandomSource | np.random.Generator,
) -> Flows:
    """What public tools publish: ``most`` random trips of a person counted, with noise, and 0 below a ``threshold``.

    A person changes the counts by at most ``most`` in sum, so noise has the rate ε over that. Flows are trips.
    """
    source, table = noise.as_source(rng), np.zeros(len(places) ** 2, dtype=np.int64)
    for part in reported(trips):
        person, pair = pairs_of(part, places)
        order = np.lexsort((source.uniform(len(person)), person))
        rank = np.arange(len(person)) - np.searchsorted(person, person)  # persons are in their order
        table += np.bincount(pair[order[rank < most]], minlength=len(table))
    drawn = np.asarray(table + noise.discrete_laplace(laplace_rate(epsilon, most), len(table), rng=source), dtype=float)
    flow = np.where(drawn >= threshold, drawn, 0.0)
    return _none_within(Flows(flow, *_interval(drawn, most / epsilon), source.private), len(places))


def visits_posterior(table: Ints, epsilon: float, *, rng: noise.RandomSource | np.random.Generator) -> Flows:
    """The posterior mean of the weight of visits to each place (k,), all of which have one prior: the mean of them.

    Parameters
    ----------
    table : (k,) int
        Of :func:`privacy_engine.population.weights.visit_weights`.
    """
    queries = _Queries(epsilon, rng)
    noisy = queries.noisy(table, 1.0)
    mean = posterior(noisy, np.full(len(noisy), max(float(noisy.mean()), 0.0)), 1 / epsilon).mean
    return _with_interval(mean, noisy, 1 / epsilon, queries.source.private)


def _with_interval(mean: Floats, noisy: Floats, scale: float, private: bool) -> Flows:
    """Posterior means of numbers with noise; the intervals of the noisy numbers are drawn out to them.

    They are missed no more often then; a mean that is moved into its interval is a worse one.
    """
    lower, upper = _interval(noisy, scale)
    return Flows(mean, np.minimum(lower, mean), np.maximum(upper, mean), private)


def _interval(noisy: Floats, scale: float) -> tuple[Floats, Floats]:
    """What a number is with 90 %, given that it is not negative: Laplace noise is beyond ±ln(10) scales with 10 %."""
    reach = scale * math.log(1 / MISSED)
    return np.maximum(noisy - reach, 0.0), np.maximum(noisy + reach, 0.0)


def _none_within(flows: Flows, places: int) -> Flows:
    """There are no trips within a place, for any data."""
    for values in (flows.flow, flows.lower, flows.upper):
        values[:: places + 1] = 0.0
    return flows
