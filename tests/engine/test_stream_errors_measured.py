"""Mean relative errors at ε = 1, w = 100 of seeded runs, against those that streams.md's prototypes had on its sets."""

import numpy as np
import pytest

from privacy_engine import noise
from privacy_engine.accounting.window_ledger import window_sums
from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.metrics import StreamRelativeError
from tests.engine.stream_sets import measured_set

SETS = ("flu_hhs4.csv", "stateflu.csv", "uber212.csv", "online_retail.csv.gz", "syn.csv", "unemployment.csv")
ZERO = {"stateflu.csv": 0.239, "syn.csv": 0.200, "flu_hhs4.csv": 0.199}
MEASURED = [
    ("stream-uniform", {}, (0.929, 0.390, None, None, 0.049), 0.12),
    ("stream-sample", {}, (0.187, 0.190, None, None, 0.051), 0.12),
    ("stream-bd", {}, (None, 1.45, 1.00, 1.54, 0.046), 0.12),
    ("stream-ba", {}, (0.665, 0.414, 0.679, 2.41, 0.035), 0.12),
    ("stream-pegasus", {}, (0.746, 0.339, 0.442, 4.04, 0.042), 0.12),
    ("stream-kalman", {}, (0.172, 0.133, 0.186, 0.271, 0.017), 0.05),
    ("stream-kalman-uniform", {}, (0.217, 0.120, 0.183, 0.349, 0.028), 0.05),
    ("stream-adapub", {"mode": "text"}, (0.498, 0.517, 0.682, 0.473, 0.107), 0.125),
    ("stream-adapub", {"mode": "svt"}, (0.548, 0.499, 0.675, 0.474, 0.106), 0.125),
    # the best of three FAST, without their parameters: 20 samples a window reach it here
    ("stream-fast", {"samples": 20}, (None, None, None, None, None, 0.0327), 0.12),
]
"""Name, parameters, errors in the order of the sets, and how far apart at most, relative.

None where streams.md has no figure of this mechanism alone. BD on the single series of Flu is left out: 40 runs lie
between .4 and 13.8, with a mean of 3.5; streams.md has 2.52.
"""
QUICK = {("stream-uniform", "stateflu.csv"), ("stream-sample", "syn.csv"), ("stream-adapub", "stateflu.csv")}


def cases():
    for name, given, errors, apart in MEASURED:
        for file, error in zip(SETS, errors, strict=False):
            # a single series varies as much
            most = 0.1 if apart == 0.05 and file in ("flu_hhs4.csv", "syn.csv") else apart
            marks = [] if (name, file) in QUICK else [pytest.mark.slow]
            if error is not None:
                yield pytest.param(name, given, file, error, most, marks=marks, id=f"{name}-{file}-{error}")


def runs(shared, file, name, given, number):
    data = measured_set(shared / "data" / "streams" / file)
    mechanism = mechanisms.parse({"name": name, "epsilon": 1.0, "window": 100, "sensitivity": 1} | given)
    seeds = range(number)
    return [StreamRelativeError().of(data, mechanism.release(data, rng=noise.seeded(seed))) for seed in seeds]


@pytest.mark.parametrize(("name", "given", "file", "error", "apart"), list(cases()))
def test_errors_are_those_measured_before(shared, name, given, file, error, apart):
    assert np.mean(runs(shared, file, name, given, 10)) == pytest.approx(error, rel=apart)


@pytest.mark.slow
@pytest.mark.parametrize(("file", "error"), [("stateflu.csv", 0.093), ("uber212.csv", 0.165), ("syn.csv", 0.0164)])
def test_errors_of_shrink_are_at_most_those_of_the_prototype(shared, file, error):
    """Mean of 5 runs, 3 % above it at most."""
    assert np.mean(runs(shared, file, "stream-shrink", {}, 5)) <= 1.03 * error


def test_errors_of_nothing_are_those_measured_before(shared):
    for file, error in ZERO.items():
        data = measured_set(shared / "data" / "streams" / file)
        nothing = StreamRelease(np.zeros_like(data.counts), data.names, data.labels, None, np.zeros(len(data.labels)))
        assert StreamRelativeError().of(data, nothing) == pytest.approx(error, abs=0.0006), file


@pytest.mark.slow
@pytest.mark.parametrize(("file", "least"), [("stateflu.csv", 9), ("online_retail.csv.gz", 14), ("syn.csv", 11)])
def test_windows_of_rescuedp_on_the_sets_spend_about_10_to_20_times_epsilon(shared, file, least):
    """streams.md measured 9 to 17."""
    data = measured_set(shared / "data" / "streams" / file)
    mechanism = mechanisms.parse({"name": "stream-rescuedp", "epsilon": 1.0, "window": 100, "sensitivity": 1})
    assert least < window_sums(mechanism.release(data, rng=noise.seeded(1)).budgets, 100).max() < 22
