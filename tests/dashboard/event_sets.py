"""Generated histories of overlapping uploads and releases, and what each event spent, counted over Python sets.

A count has no hash and no class: it holds, by upload, the set of its events, and adds up charges of exact numbers.
"""

import math
from fractions import Fraction

import numpy as np

from privacy_engine.data import Trajectory
from tests.engine import plain_events

DEGREE, MINUTE = 10_000_000, 60_000


def truth(rng, many):
    """Events of one person that lie further apart than a moved copy is recognised: five minutes and two kilometres."""
    start = rng.randrange(0, 10**9) * MINUTE
    return [
        (rng.randrange(-179 * DEGREE, 179 * DEGREE), rng.randrange(-60 * DEGREE, 60 * DEGREE), start + i * 5 * MINUTE)
        for i in range(many)
    ]


def series(events, rng):
    """The same events shuffled, as one to three series."""
    rng.shuffle(events)
    cut = sorted(rng.sample(range(len(events) + 1), min(rng.randrange(3), len(events))))
    parts = [events[a:b] for a, b in zip([0, *cut], [*cut, len(events)], strict=True)]
    return [_trajectory(sorted(part, key=lambda one: one[2])) for part in parts if part]


def _trajectory(part):
    lon, lat, ms = (np.array(column, dtype=np.float64) for column in zip(*part, strict=True))
    return Trajectory(lon / DEGREE, lat / DEGREE, ms / 1000)


def changes(rng):
    """How a whole upload may be changed and still be found."""
    zone = rng.choice([-1, 1]) * rng.randrange(1, 50) * 15 * MINUTE
    step = DEGREE // 1000
    return [
        lambda one: one,
        lambda one: one,
        lambda one: (one[0], one[1], one[2] + zone),
        lambda one: (round(one[0] / step) * step, round(one[1] / step) * step, one[2]),
        lambda one: (one[0], one[1], one[2] - one[2] % MINUTE),
    ]


def next_upload(rng, known, uploads):
    """An upload of known events: a range, a sample, a mixture of two uploads, a part, or a changed copy of one."""
    way = rng.randrange(6) if uploads else rng.randrange(2)
    if way == 0:
        start, many = rng.randrange(len(known)), rng.randrange(1, 20)
        return set(known[start : start + many])
    if way == 1:
        return set(rng.sample(known, rng.randrange(1, 12)))
    one, other = rng.choice(uploads), rng.choice(uploads)
    if way == 2:
        return one | other
    if way == 3:
        return {event for event in sorted(one) if rng.random() < 0.5} or one
    change = rng.choice(changes(rng))
    return {change(event) for event in one}


class Count:
    """What each event spent, by a comparison of every pair of uploads and exact sums, without any hash or class."""

    def __init__(self):
        self.uploads = []
        self.charges = []
        self.held = {}

    def add(self, events):
        new = len(self.uploads)
        for i, earlier in enumerate(self.uploads):
            found = plain_events.shared(events, earlier).values()
            self.held[new, i] = set().union(*(own for own, _ in found))
            self.held[i, new] = set().union(*(its for _, its in found))
        self.uploads.append(events)
        self.charges.append(Fraction(0))

    def part(self, one, other):
        self.held[one, other] = self.held[other, one] = set()

    def worst(self, upload):
        """What the worst event has spent in micro-units, rounded up, and how many events have."""
        others = [i for i in range(len(self.uploads)) if i != upload]
        spent = [
            math.ceil(
                self.charges[upload]
                + sum((self.charges[i] for i in others if event in self.held[upload, i]), Fraction(0))
            )
            for event in self.uploads[upload]
        ]
        most = max(spent)
        return most, spent.count(most) if most else 0
