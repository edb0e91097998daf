"""When to use a mechanism, by what was measured: sentences from the tables in docs/results/data."""

from collections.abc import Callable, Iterator
from functools import cache
from statistics import median

from benchmarks.written import saved
from privacy_engine.mechanisms.base.mechanism import Mechanism
from privacy_engine.mechanisms.checkins.beside_nearest import NEAREST
from privacy_engine.mechanisms.checkins.measured_rates import COLUMNS, RATES

Values = dict[tuple[str, ...], dict[str, float]]
"""By combination, the error of every row of a table."""


def measured_use(cls: type[Mechanism]) -> list[str]:
    """What was measured of a mechanism beside others; none of what was not measured."""
    by: dict[str, Callable[[type[Mechanism]], Iterator[str]]] = {
        "trajectory": _landmarks, "stream": _streams, "checkins": _checkins,
    }  # fmt: skip
    return list(by[cls.kind](cls)) if cls.kind in by else []


@cache
def _errors(name: str, keys: tuple[str, ...], row: str, value: str) -> Values:
    found: Values = {}
    for one in saved(name):
        found.setdefault(tuple(one[key] for key in keys), {})[one[row]] = float(one[value])
    return found


def _landmarks(cls: type[Mechanism]) -> Iterator[str]:
    found = _errors("landmarks", ("series", "share_percent"), "scheme", "mae_m")
    ratios = []
    for (_, share), errors in found.items():
        schemes = {name: one for name, one in errors.items() if "+" not in name and "protects" not in name}
        if share not in ("0", "100") and cls.title in schemes:
            ratios.append(schemes[cls.title] / min(schemes.values()))
    if ratios:
        yield (
            f"Its error is the least of all landmark mechanisms, or within 5 % of it, in "
            f"{sum(one <= 1.05 for one in ratios)} of {len(ratios)} combinations of five traces and 20 to 80 % random "
            f"landmarks, and {median(ratios):.2f} times the least in the median, at most {max(ratios):.1f} times "
            "([results](../../results/papers.md))."
        )
    factors = [
        f"{row['factor']} ({row['series'].partition(',')[0]}, r = {row['radius_m']} m)"
        for row in saved("attacks")
        if row["mechanism"] == cls.title
    ]
    if factors:
        yield (
            "At landmarks, 40 % of the events, the guess of an adversary who knows how people move was nearer than one "
            f"without the release by a factor of {', '.join(factors)}; 1 is no nearer "
            "([attacks](../../results/attacks.md))."
        )


def _streams(cls: type[Mechanism]) -> Iterator[str]:
    found = _errors("streams", ("set", "epsilon", "window"), "mechanism", "ARE")
    own = cls.registered_name().removeprefix("stream-")
    below = {
        row: sum(errors[row] < errors["zero"] for errors in found.values())
        for row in next(iter(found.values()))
        if row.partition(" ")[0] == own
    }
    if below:
        counted = ", ".join(f"{count} ({row})" if len(below) > 1 else f"{count}" for row, count in below.items())
        yield (
            f"Its average relative error is below that of publishing zeros in {counted} of {len(found)} combinations "
            "of eight sets, ε and w ([results](../../results/streams.md))."
        )


def _checkins(cls: type[Mechanism]) -> Iterator[str]:
    name = cls.registered_name()
    for preset in dict.fromkeys(key[3] for key in RATES if key[2] == name and name != NEAREST[0]):
        counted = []
        for unit, text in (("user", "user"), ("record", "check-in")):
            columns = [i for i, column in enumerate(COLUMNS) if column[0] == unit]
            above = [
                rates[i] > RATES[key[0], key[1], *NEAREST][i]
                for key, rates in RATES.items()
                if key[2:] == (name, preset)
                for i in columns
            ]
            counted.append(f"in {sum(above)} of {len(above)} with each {text} protected")
        yield (
            f"It recommends{f' with the preset {preset}' if preset else ''} better than the nearest cell, which costs "
            f"no ε, {' and '.join(counted)}, of combinations of three sets, three grids and four ε "
            "([results](../../results/recommendation.md))."
        )
