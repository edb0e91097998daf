"""What of the landmark paper's claims holds on which trace, and for how many people: a part of papers.md, and tables.

    python -m benchmarks.results_people [repetitions] [--data ../shared/data]

The presets `error-geolife` and `error-tdrive` with landmarks by stay points and at random, without smoothing. Stays are
read as :data:`benchmarks.series.READINGS` states; those of everyone with 1,000 fixes in both readings. Seeds are fixed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.series import READINGS, geolife, real
from benchmarks.written import RESULTS, ROOT, commit, save, write
from privacy_engine.core.arrays import Floats
from privacy_engine.data import Trajectory
from privacy_engine.experiments import ExperimentSpec, blocks, run_block
from privacy_engine.experiments.presets import GeolifeError, Preset, TDriveError

N, TIMES = 1000, 1.96
DENSE, SPARSE = "Geolife", "T-Drive"
TRACES = {
    "Geolife, user 000": GeolifeError,
    "Geolife, user 174": GeolifeError,
    "T-Drive, taxi 1": TDriveError,
    "T-Drive, taxi 2": TDriveError,
}
PAPER = ("Uniform", "Skip", "Adaptive, literal", "Adaptive")
WANTED = (0.2, 0.4, 0.6, 0.8, 1.0)
"""The paper's shares of landmarks."""
NEAR = 0.07
MATCHING = "Geolife, user 174"
STEP_VARIANCES_M2 = (50.0, 2_000.0, 20_000.0, 378_000.0)
"""From the 10 m between fixes of Geolife's user guide to the taxis'."""
YES, NO, OPEN = "yes", "no", "open"


class Case(NamedTuple):
    """One setting of landmarks: its share of them, and the errors of every scheme in all repetitions."""

    share: float
    errors: dict[str, Floats]

    @property
    def mixed(self) -> bool:
        """True where some events are landmarks and some are not."""
        return 0.005 < self.share < 0.995


class Ratio(NamedTuple):
    """A quotient of two mean errors with its bounds at 95 %."""

    value: float
    low: float
    high: float


def ratio(one: Floats, other: Floats) -> Ratio:
    """The quotient of the means of errors by the same draws; by linearisation."""
    value = one.mean() / other.mean()
    half = TIMES * (one - value * other).std(ddof=1) / (other.mean() * np.sqrt(len(one)))
    return Ratio(float(value), float(value - half), float(value + half))


def by_step_variance(series: Trajectory, repetitions: int) -> Iterator[tuple[float, list[Case]]]:
    """One trace by stay points, for several q, the mean square of a step in each axis."""
    for q in STEP_VARIANCES_M2:
        preset = type("WithVariance", (GeolifeError,), {"step_variance_m2": q})
        yield q, measured(preset, series, repetitions, marks="stay-points", reading=READINGS[MATCHING])


def measured(preset: type[Preset], series: Trajectory, repetitions: int, **described: Any) -> list[Case]:
    """Errors of the preset's schemes that nothing follows, for every setting of landmarks."""
    one = preset.model_validate({"repetitions": repetitions, **described})
    dump = one.spec().model_dump()
    dump["grid"]["release"] = [release for release in dump["grid"]["release"] if not release["postprocess"]]
    data, found = one.data([series]), {}
    spec = ExperimentSpec.parse(dump)
    for block in blocks(spec, [len(part) for part in data], repetitions):
        share, errors = run_block(block, data)[:2]
        landmarks = block.cell.landmarks.model_dump_json()
        case = found.setdefault(landmarks, Case(float(share.mean()), {}))
        release = block.cell.release
        literal = getattr(release.mechanism, "reading", "") == "literal"
        name = release.title + ", literal" * literal
        case.errors[name] = np.append(case.errors.get(name, []), errors)
    return list(found.values())


def best(case: Case) -> Floats:
    """The errors of the best of the paper's three, in either reading of Adaptive."""
    return min((case.errors[name] for name in PAPER), key=np.mean)


def gains(case: Case) -> Ratio:
    return ratio(case.errors["Adaptive, literal"], case.errors["Uniform"])


def beside_skip(case: Case) -> Ratio:
    return ratio(case.errors["Adaptive, literal"], case.errors["Skip"])


def skip_beside(case: Case) -> Ratio:
    """Skip beside the better of Uniform and the literal Adaptive."""
    others = min((case.errors[name] for name in ("Uniform", "Adaptive, literal")), key=np.mean)
    return ratio(case.errors["Skip"], others)


def planned(case: Case) -> Ratio:
    return ratio(case.errors["Planned"], best(case))


def joint(case: Case) -> Ratio:
    return ratio(case.errors["Joint"], best(case))


class Claim(NamedTuple):
    """A sentence, the quotient that it is about and the bounds within which it holds, and for which data it is made."""

    text: str
    of: Callable[[Case], Ratio]
    low: float
    high: float
    data: str = ""


CLAIMS = (
    Claim("Adaptive (literal) is better than Uniform", gains, 0.0, 1.0),
    Claim("… by about 10 % (5 to 15 %)", gains, 0.85, 0.95),
    Claim("Skip is the best of the paper's three", skip_beside, 0.0, 1.0, DENSE),
    Claim("Adaptive (literal) beats Skip by more than 20 %", beside_skip, 0.0, 0.8, SPARSE),
    Claim("(ours) Planned is at least as good as the best of the paper's", planned, 0.0, 1.0),
    Claim("(ours) Joint never falls behind it by more than 1 %", joint, 0.0, 1.01),
)


def verdict(claim: Claim, found: Ratio) -> str:
    """Yes where the interval lies within the bounds, no where outside, open where it has one of them."""
    if claim.low <= found.low and found.high <= claim.high:
        return YES
    return NO if found.high < claim.low or found.low > claim.high else OPEN


def held(claim: Claim, cases: Sequence[Case]) -> str:
    """Yes where the claim holds at every share that has landmarks and others, else where it does and where not."""
    by: dict[str, list[str]] = {}
    for case in cases:
        if case.mixed:
            by.setdefault(verdict(claim, claim.of(case)), []).append(f"{100 * case.share:.0f}")
    if len(by) <= 1:
        return next(iter(by), "–")
    return ", ".join(f"{one} at {', '.join(by[one])} %" for one in (YES, NO, OPEN) if one in by)


def always(claim: Claim, people: Sequence[Sequence[Case]]) -> str:
    """For how many people the claim holds, fails and is open at every share, and for how many it depends."""
    counted = dict.fromkeys((YES, NO, OPEN, "by share"), 0)
    for cases in people:
        different = {verdict(claim, claim.of(case)) for case in cases if case.mixed}
        if different:
            counted[different.pop() if len(different) == 1 else "by share"] += 1
    return ", ".join(f"{one} {count}" for one, count in counted.items() if count)


def shares(cases: Sequence[Case]) -> str:
    """The measured shares, and whether they are the paper's."""
    found = [case.share for case in cases][1:]
    near = all(abs(one - wanted) <= NEAR for one, wanted in zip(found, WANTED, strict=True))
    return f"{YES if near else NO}: {', '.join(f'{100 * one:.0f}' for one in found)} %"


def verdicts(traces: dict[str, list[Case]], people: dict[str, list[list[Case]]], with_shares: bool) -> str:
    """A line for each claim, a column for each trace and for everyone in each reading."""
    head = ["claim", *traces, *(f"{len(one)} people, {reading}" for reading, one in people.items())]
    rows = []
    if with_shares:
        near = [f"{sum(shares(cases).startswith(YES) for cases in one)} of {len(one)}" for one in people.values()]
        rows.append(
            ["The paper's five settings give 20, 40, 60, 80, 100 % (± 7)", *map(shares, traces.values()), *near]
        )
    for claim in CLAIMS:
        cells = [held(claim, cases) if title.startswith(claim.data) else "–" for title, cases in traces.items()]
        everyone = [always(claim, one) if DENSE.startswith(claim.data) else "–" for one in people.values()]
        rows.append([claim.text, *cells, *everyone])
    return table(head, rows)


QUOTIENTS: dict[str, Callable[[Case], Ratio]] = {
    "Adaptive, literal / Uniform": gains,
    "Adaptive, literal / Skip": beside_skip,
    "Planned / best of the paper's": planned,
    "Joint / best of the paper's": joint,
}
OURS = tuple(QUOTIENTS)[2:]
QUOTIENT_COLUMNS = ("landmarks", "trace", "step_variance_m2", "share_percent", "quotient", "value", "low", "high")
"""An empty step variance is that of the preset."""
PEOPLE_COLUMNS = ("landmarks", "setting", "people", "quantity", "median", "low", "high")
"""Quantiles 5, 50 and 95 %; landmarks are random or stay points by a reading."""


def quotients(place: Sequence[str], cases: Sequence[Case], names: Iterable[str] = QUOTIENTS) -> Iterator[list[str]]:
    """Rows of :data:`QUOTIENT_COLUMNS` for one trace."""
    for case, name in product(cases, names):
        if case.mixed:
            found = QUOTIENTS[name](case)
            digits = 0 if found.value >= 10 else 2
            yield [*place, f"{100 * case.share:.0f}", name, *(f"{one:.{digits}f}" for one in found)]


def distribution(reading: str, everyone: Sequence[Sequence[Case]]) -> Iterator[list[str]]:
    """Rows of :data:`PEOPLE_COLUMNS`: quantiles over people, by setting, of the share of landmarks and of quotients."""
    for i in range(6):
        cases = [cases[i] for cases in everyone]
        some = [case for case in cases if case.mixed]
        yield [reading, f"{i}", f"{len(cases)}", "landmarks, %", *_quantiles([100 * case.share for case in cases], 0)]
        for name, of in QUOTIENTS.items() if some else ():
            yield [reading, f"{i}", f"{len(some)}", name, *_quantiles([of(case).value for case in some], 2)]


def _quantiles(values: Sequence[float], digits: int) -> list[str]:
    return [f"{one:.{digits}f}" for one in np.quantile(values, (0.5, 0.05, 0.95))]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def titled(found: dict[str, list[Case]]) -> dict[str, list[Case]]:
    """The traces with the reading in their titles."""
    return {f"{title} ({READINGS.get(title, 'seed')})": cases for title, cases in found.items()}


class Report(NamedTuple):
    """Claims as text, and the rows of both tables."""

    texts: list[str]
    quotients: list[list[str]]
    people: list[list[str]]


def report(data: Path, repetitions: int, at: str) -> Report:
    """All that is measured."""
    files, everyone = real(data, N), geolife(data, N)
    about = (
        f"Measured at commit {at} by `python -m benchmarks.results_people {repetitions}`: {repetitions} repetitions, "
        "seed 1; intervals are 95 %, of the repetitions. Readings of stays are `seed` and `li08_def` "
        "(`privacy_engine/landmarks/staypoints.py`); people have 1,000 fixes or more, of which the first 1,000 count."
    )
    made = Report([about], [], [])
    for marks, text in (("stay-points", "stay points"), ("random", "random landmarks")):
        readings = ("li08_def", "seed") if marks == "stay-points" else ("seed",)
        traces = {
            title: measured(preset, files[title], repetitions, marks=marks, reading=READINGS.get(title, "seed"))
            for title, preset in TRACES.items()
            if title in files
        }
        people = {
            reading if marks == "stay-points" else "random": [
                measured(GeolifeError, one, repetitions, marks=marks, reading=reading) for one in everyone.values()
            ]
            for reading in readings
        }
        traces = titled(traces) if marks == "stay-points" else traces
        made.texts.append(
            f"### Claims of the landmark paper, {text}\n\n{verdicts(traces, people, marks == 'stay-points')}"
        )
        for title, cases in traces.items():
            made.quotients.extend(quotients([marks, title, ""], cases))
        if marks == "stay-points":
            place = [marks, f"{MATCHING} ({READINGS[MATCHING]})"]
            for q, cases in by_step_variance(files[MATCHING], repetitions):
                made.quotients.extend(quotients([*place, f"{q:.0f}"], cases, OURS))
        for reading, one in people.items():
            made.people.extend(distribution(reading, one))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repetitions", nargs="?", type=int, default=100)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    options = parser.parse_args()
    found = report(options.data, options.repetitions, commit())
    write(RESULTS / "papers.md", "\n\n".join(found.texts), "people")
    save("landmark-quotients", QUOTIENT_COLUMNS, found.quotients)
    save("landmark-people", PEOPLE_COLUMNS, found.people)


if __name__ == "__main__":
    main()
