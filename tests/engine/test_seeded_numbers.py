"""What seeds repeat are the same numbers in every version: of all mechanisms and measures, and their predicted times.

``seeded_numbers.json`` has a digest of each class, by test; a class that it does not name yet has none to equal. One
that differs is a change of results: where it is meant, CHANGELOG.md states it, and the new digest is set there.
"""

import json
import re
from fractions import Fraction
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import get_args
from unittest.mock import ANY

import numpy as np
import pytest

from privacy_engine import audit, noise
from privacy_engine.accounting.promise import Context
from privacy_engine.analysis.correlation import Correlation
from privacy_engine.analysis.error_curves import error_curves
from privacy_engine.analysis.error_forecast import ForecastData, error_forecast
from privacy_engine.analysis.expected_loss import expected_loss
from privacy_engine.analysis.loss_report import losses
from privacy_engine.analysis.release_curves import ReleasedSeries, release_curves
from privacy_engine.analysis.stream_comparison import stream_comparison
from privacy_engine.analysis.stream_detection import Event, detection
from privacy_engine.analysis.tradeoff import tradeoff
from privacy_engine.audit.run import KINDS as AUDIT_KINDS
from privacy_engine.core import geo
from privacy_engine.core.params import choices_of
from privacy_engine.data import LandmarkSet
from privacy_engine.experiments import Block, figure, generators, measures, predicted_seconds, presets, run_block
from privacy_engine.experiments.generated import CityCheckIns
from privacy_engine.landmarks.dummy_methods import dummy_methods
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.stream import StreamUniform
from privacy_engine.noise import choice
from privacy_engine.noise.ball_arithmetic import Ball
from privacy_engine.noise.expected import OwnNoise, SharedNoise, mixture_mean_m, mixture_quantile_m
from privacy_engine.noise.reach import Reaches
from privacy_engine.postprocess import postprocesses
from privacy_engine.releases.label import privacy_label
from privacy_engine.releases.spec import ReleaseSpec
from tests.cases import each
from tests.engine import mechanism_examples, test_experiments_kinds
from tests.engine import test_every_measure as of_measures
from tests.engine.mechanism_examples import every
from tests.engine.stream_sets import counted


def digest(*found):
    """Of numbers to six digits, which platforms agree on."""
    rows = [[f"{value:.6g}" for value in np.asarray(one, dtype=np.float64).ravel().tolist()] for one in found]
    return sha256(repr(rows).encode()).hexdigest()[:4]


@pytest.fixture
def known(request):
    """The digest of the class of a test."""
    return DIGESTS[request.node.originalname].get(request.node.callspec.id, ANY)


def described(cls, **given):
    about = {"radius_m": 200.0} if cls.kind == "trajectory" else {}
    return audit.completed({"name": cls.registered_name(), "epsilon": 1.0} | about | given)[0]


def levels(timestamps, dimensions, high):
    """Counts about levels that differ, rise and fall, and jump once."""
    rng, t = np.random.default_rng(dimensions), np.arange(timestamps)[:, None]
    level = high * rng.gamma(0.7, 1, dimensions) * (1.2 + np.sin(t / 9 + np.arange(dimensions))) * (1 + (t > 60))
    return counted(rng.poisson(level))


STREAMS = [(levels(200, 1, 40), 20, 0.8), (levels(90, 3, 6), 7, 3.0), (levels(130, 40, 3), 60, 1.5)]
WALK, MARKS = mechanism_examples.walk(80), LandmarkSet(np.arange(80) % 7 < 2)
AUDITED = [cls for cls in mechanisms if not cls.needs_venues]
SMOOTHER = postprocesses["random-walk-smoother"]()
KINDS = test_experiments_kinds
DIGESTS = json.loads(Path(__file__).with_name("seeded_numbers.json").read_text())
OF_MECHANISMS = ("test_releases_of_trajectories", "test_releases_of_streams", "test_models_of_checkins")


@every(mechanisms.of("stream"))
def test_releases_of_streams(cls, known):
    choices = [{name: value} for name, info in cls.model_fields.items() if name != "name" for value in choices_of(info)]
    found = []
    for stream, window, epsilon in STREAMS:
        for given in choices or [{}]:
            mechanism = cls(window=window, epsilon=epsilon, sensitivity=2, **given)
            release = mechanism.release(stream, rng=noise.seeded(7))
            found += [release.counts, release.budgets, [mechanism.noise_sd(), mechanism.seconds(90, 3, 7)]]
    assert digest(*found) == known


@every(mechanism_examples.CLASSES)
def test_releases_of_trajectories(cls, known):
    found = []
    for mechanism, marks in product(mechanism_examples.variants(cls), (MARKS, LandmarkSet(MARKS.mask[::-1]))):
        release = mechanism.release(WALK, marks, rng=noise.seeded(7))
        found += [release.series.lon, release.series.lat, release.budgets, release.sd_m]
    assert digest(*found) == known


@every([cls for cls in mechanisms.of("checkins") if not cls.needs_venues])
def test_models_of_checkins(cls, known):
    found, data = [], CityCheckIns(users=60, seed=3).data()
    west, south, east, north = min(data.lon), min(data.lat), max(data.lon), max(data.lat)
    box = {"west": west, "south": south, "east": (west + 3 * east) / 4, "north": north, "contributions": 12}
    for given in (
        {"side": 8, "epsilon": 2.0},
        {"side": 5, "epsilon": 30.0},
        {"side": 16, "epsilon": 8.0, "privacy_unit": "record"},
    ):
        mechanism = cls(**box | given)
        model = mechanism.release(data, rng=noise.seeded(7))
        masses = model.densities()
        found += [[mechanism.seconds(800)], [] if masses is None else masses]
        found += [model.scores(history) for history in ([], [3], [3, 12], [24, 7, 1])]
    assert digest(*found) == known


@every(AUDITED)
def test_audits(cls, known):
    """Neighbouring inputs and what is computed of draws of the second; the result where it takes little time."""
    changes, found = [{}, {"window": 1}, {"window": 90, "sensitivity": 3}, {"relation": "replace-one"}], []
    for given in [*changes, {"privacy_unit": "record"}]:
        if not given.keys() <= cls.model_fields.keys():
            continue
        spec = audit.AuditSpec.parse({"mechanism": described(cls, **given), "trials": 1000, "seed": 1})
        kind, mechanism = AUDIT_KINDS[cls.kind], spec.target()
        for pair in kind.pairs(mechanism):
            drawn = kind.draw(mechanism, pair.second, 4, noise.seeded(7))
            columns = [*kind.values(pair), *kind.residues(pair)]
            found += [drawn, kind.features(pair, drawn), [pair.scale, pair.claimed], list(pair.name.encode())]
            found += [column.of(drawn) for column in columns]
    if cls.registered_name() in ("event-level", "stream-uniform", "checkin-popularity"):
        found += [[one.lower_bound, *one.best_event.encode()] for one in audit.audit(spec).pairs]
    assert digest(*found) == known


@pytest.fixture
def recorded_mechanisms(monkeypatch):
    """The registry without mechanisms whose releases are not recorded: what is of all of them stays the same."""
    names = {name for test in OF_MECHANISMS for name in DIGESTS[test]}
    kept = {name: cls for name, cls in mechanisms._registered.items() if name in names}
    monkeypatch.setattr(mechanisms, "_registered", kept)


@every(postprocesses)
@pytest.mark.usefixtures("recorded_mechanisms")
def test_steps(cls, known):
    step = cls(**{field["name"]: 3e4 for field in cls.fields() if field["required"]})
    found = [[step.seconds(700)]]
    for mechanism in mechanisms.of("trajectory"):
        smoothed = step.apply(mechanism_examples.example(mechanism).release(WALK, MARKS, rng=noise.seeded(7)))
        found += [smoothed.series.lon, smoothed.series.lat, smoothed.sd_m, smoothed.event]
    assert digest(*found) == known


@every(dummy_methods)
def test_dummies(cls, known):
    found, marks = [], [LandmarkSet(np.arange(n) % 5 == 1) for n in (12, 15, 0, 1)]
    for one in (cls(epsilon=0.1), cls(epsilon=3.0)):
        found += [
            [one.seconds(marks)],
            one.counts(marks),
            *(row.mask for row in one.select(marks, rng=noise.seeded(7))),
        ]
    assert digest(*found) == known


@every(generators)
def test_generated_data(cls, known):
    data = cls().data()
    columns = ("counts",) if cls.kind == "stream" else ("user", "time_s", "lon", "lat", "place")
    assert digest(cls().sizes(), *(getattr(data, name) for name in columns)) == known


@every(measures.of("trajectory"))
def test_measures(cls, known):
    found = []
    for given in (
        {"dummies": {"name": "dummies-heuristic", "epsilon": 0.5}},
        {"release": of_measures.SMOOTHED},
        {"release": of_measures.EVENT, "correlation": {"smoothing": 0.3, "diameter_m": 300.0, "states": 3}},
        {"correlation": {"smoothing": 0.3, "diameter_m": 300.0, "bound": "bridge"}},
    ):
        cell = of_measures.cell(of_measures.example(cls), **given)
        found += [run_block(Block(cell, 0, 2), of_measures.SERIES)[1], [cell.seconds([100, 250], 40)]]
    assert digest(*found) == known


@every([cls for kind in KINDS.KINDS for cls in measures.of(kind)])
def test_measures_of_other_kinds(cls, known):
    entry = dict(zip(measures.of(cls.kind), KINDS.every_measure(cls.kind), strict=True))[cls]
    (cell,) = KINDS.spec(cls.kind, metrics=[entry]).cells()
    assert digest(run_block(Block(cell, 0, 3), KINDS.DATA[cls.kind])[1], [cell.seconds([100, 3], 40)]) == known


@every(presets)
@pytest.mark.usefixtures("recorded_mechanisms")
def test_presets(cls, known):
    spec = cls().spec()
    text = json.dumps([spec.model_dump(), figure(spec)], sort_keys=True)
    assert digest(list(text.encode()), [predicted_seconds(spec, [100, 3])]) == known


def figures(*results, digits=6):
    """The bytes of results as JSON, and of lines of text, whose numbers have so many ``digits``.

    Precisions have none: they are differences of order statistics, where the last digit of an error decides.
    """
    texts = [one if isinstance(one, str) else one.model_dump_json() for one in results]
    texts = [re.sub(r'"within":[^,}]*', "", one) for one in texts]
    return list(re.sub(r"\d+\.\d+(e-?\d+)?", lambda found: f"{float(found[0]):.{digits}g}", "".join(texts)).encode())


CORRELATIONS = [
    Correlation.smoothed(3, 0.1, 400.0),
    Correlation.given([[0.8, 0.2], [0.3, 0.7]], "reversal", 300.0),
    Correlation.estimated(of_measures.SERIES, 2000.0, 0.1),
]


@every(mechanism_examples.CLASSES)
def test_forecasts_and_curves(cls, known):
    mechanism, mask = mechanism_examples.example(cls), MARKS.mask
    found = [tradeoff([mechanism], WALK, mask, series=0, seed=3)]
    own, smoothed = (error_forecast(mechanism, ForecastData.of([WALK], [MARKS]), steps) for steps in ((), (SMOOTHER,)))
    found.append(own)
    for correlation in CORRELATIONS:
        found.append(expected_loss(mechanism, [mask, mask[:9]], correlation))
        release = mechanism.release(WALK, MARKS, rng=noise.seeded(7))
        error_m = geo.distance_m(
            WALK.lon[release.event], WALK.lat[release.event], release.series.lon, release.series.lat
        )
        numbers = (error_m, release.budgets[release.event], WALK.time_s[release.event], release.budgets, mask)
        released = ReleasedSeries(*numbers, release.event)
        for bound in ("", "published"):
            curves = release_curves(mechanism, released, series=0, correlation=correlation, points=20, bound=bound)
            found.append(curves.model_copy(update={"error_median": None}))  # test_long_charts.py has its law
    # the smoother fits its variance by an iteration, whose seventh digit differs by the processor
    assert digest(figures(*found), figures(smoothed, digits=3)) == known


@every(AUDITED)
def test_labels(cls, known):
    """What a release promises, and a simulation: in general, of some landmarks, and of data that were prepared."""
    prepared = {"stability": 3, "provided": ("it rains",), "not_covered": ("the weather",), "box_from_data": True}
    contexts = [Context(**more) for more in ({}, {"landmarks": 1, "noise_p95_m": 1234.5}, {"landmarks": 4} | prepared)]
    found = [
        json.dumps(privacy_label(ReleaseSpec.parse({"mechanism": described(cls)} | seed), one, private=True, cairn="1"))
        for seed in ({}, {"seed": 3})
        for one in contexts
        if cls.publishable or seed
    ]
    assert digest(figures(*found)) == known


@pytest.mark.usefixtures("recorded_mechanisms")
def test_losses_and_comparisons():
    found = []
    for correlation, bound in product(CORRELATIONS, ("", "published")):
        of_all = losses(MARKS.mask, epsilon=1.0, correlation=correlation, bound=bound)
        found += [of_all.shown(20, landmark_set="a", series=0), *of_all.lines()]
    stream, window, epsilon = STREAMS[1]
    release = StreamUniform(window=window, epsilon=epsilon).release(stream, rng=noise.seeded(7))
    found.append(stream_comparison(stream.counts, release.counts, release.budgets, window))
    found += [detection(stream.counts, release.counts, event, 5, 0.2) for event in get_args(Event)]
    error_m = np.random.default_rng(1).gamma(2, 50, 80)
    found += [error_curves(error_m, MARKS.mask, series=0, points=20, first=first) for first in (0, 30)]
    assert digest(figures(*found)) == "3806"


@each("bits", [64, 97, 224])
def test_balls_and_envelopes_of_exact_noise(bits):
    """Whole numbers, so that every platform has the same: none is wider than it was, or elsewhere."""
    rates = np.tile([0.02, 1.0, 3e3], 3) / 6.4e6
    found = [*Reaches(np.repeat([1, 3, 40], 3), rates, noise.seeded(1))._envelopes]
    for a, b in (
        *((3, 7), (Fraction(1, 3), Fraction(-22, 7)), (Fraction(9, 10), Fraction(40, 3)), (-5, Fraction(1, 999))),
    ):
        x, y = (Ball(Ball.exact(one, bits).mid, 5 + one.numerator % 7, bits) for one in map(Fraction, (a, b)))
        balls = [-x, x + y, x - y, x * y, x * 9, x / y, x.exp(), y.exp(), *x.sin_cos(), *y.sin_cos(), Ball.atan2(x, y)]
        balls += [operation() for one in (x, y) if one.mid > 0 for operation in (one.sqrt, one.log)]
        found += [[one.mid % 9973, one.mid.bit_length(), one.rad] for one in (*balls, Ball.pi(bits))]
    assert digest(*found) == {64: "73f8", 97: "01dd", 224: "e004"}[bits]


def test_choices_and_expected_noise():
    rng, utilities = noise.seeded(7), np.random.default_rng(2).normal(0, 9, (40, 6))
    there = np.add.outer(np.arange(40), np.arange(6)) % 5 > 0
    found = [noise.exponential_mechanisms(utilities, there, level, 2.0, rng=rng) for level in (0.01, 1.0, 30.0)]
    found += [[noise.exponential_mechanism(row, 2.0, 1.5, rng=rng) for row in utilities]]
    tables = [choice.option_table(row, 2.0, 1.5) for row in utilities[:5]] + [choice.coin_table(e) for e in (0.1, 3.0)]
    found += [part for one in tables for part in (one.low, one.high - one.low)]
    found += [choice.gumbel_top(utilities[0], 3, rng=rng), choice.coin_table(700.0).draw(9, rng)]
    found += [choice.drawn_in_groups(np.arange(30) % 4, np.array([1, 2, 3, 0]), rng=rng)]
    parts = [
        OwnNoise(np.array([0.01, 1e-7]), np.array([3.0, 4.0])),
        SharedNoise(3, 1e-3, 5.0),
        SharedNoise(1, 1e-8, 2.0),
    ]
    found += [[one.weight, one.mean_m(), *(one.within(angle) for angle in (1e-6, 1e-3, 1.0))] for one in parts]
    for few in (parts[:1], parts[:2], parts):
        found.append([mixture_mean_m(few), *(mixture_quantile_m(few, p) for p in (0.01, 0.5, 0.99))])
    found += [one.simulated_m(5, np.random.default_rng(1)) for one in parts[1:]]
    assert digest(*found) == "0cd2"
