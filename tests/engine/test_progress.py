"""No work of the engine is silent for longer where there are more data: every loop reports its progress."""

import io
import threading

import numba
import numpy as np
import pytest

from privacy_engine import attacks, experiments, kernels
from privacy_engine.aggregation import AggregationSpec, aggregate, events_of
from privacy_engine.aggregation.stays import StaySpec, stays_of
from privacy_engine.analysis.simulation import simulate
from privacy_engine.audit import AuditSpec, audit
from privacy_engine.cleaning import cleaning_steps
from privacy_engine.core import progress
from privacy_engine.data import CheckIns, CountStream, LandmarkSet, Trajectory
from privacy_engine.datatypes import datatypes
from privacy_engine.experiments import presets
from privacy_engine.formats import formats, read
from privacy_engine.formats.jsontools import parsed
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.landmarks.staypoints import stay_points
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.landmark import EventLevel
from privacy_engine.metrics import metrics
from privacy_engine.postprocess import postprocesses
from privacy_engine.releases.spec import ReleaseSpec
from tests.engine.format_samples import zipped
from tests.engine.large_samples import SAMPLES
from tests.engine.mechanism_examples import every as of
from tests.engine.mechanism_examples import plain_example as example
from tests.engine.silence import assert_never_silent, longest_silence, reports

pytestmark = pytest.mark.slow
FEW = 2500
OF_FORMAT = {"xlsx": 800, **dict.fromkeys(("kml", "owntracks", "fit", "nmea", "geojson", "geojsonseq"), 6000)}
"""Rows of a format of which each takes long, or that is read in blocks of thousands."""
KEY = bytes(range(16))


def walks(n, series=1):
    """``n`` events in so many series, each a person's: a walk that rests for half an hour in every two."""
    each, rng = n // series, np.random.default_rng(n)
    steps = np.where(np.arange(each) % 120 < 90, 0.0005, 0.0)
    return [
        Trajectory(
            13.4 + np.cumsum(rng.normal(0, 1, each) * steps),
            52.5 + np.cumsum(rng.normal(0, 1, each) * steps),
            1.7e9 + 60.0 * np.arange(each),
            f"s{i}",
            person=f"p{i}",
        )
        for i in range(series)
    ]


def marks(series):
    """Every tenth event."""
    return [LandmarkSet(np.arange(len(one)) % 10 == 0) for one in series]


def counts(n, d=4):
    made = np.random.default_rng(n).integers(0, 50, (n, d))
    return CountStream(made, [f"a{i}" for i in range(d)], [str(i) for i in range(n)], 1.7e9 + 3600.0 * np.arange(n))


def checkins(n):
    """Of as many users as there are tens of check-ins, in the box of :func:`box`."""
    rng = np.random.default_rng(n)
    user, place = np.sort(rng.integers(0, n // 10, n)), rng.integers(0, 100, n)
    users, places = [f"u{i}" for i in range(n // 10)], [f"v{i}" for i in range(100)]
    lon, lat = place % 10 + 0.5, place // 10 + 0.5
    return CheckIns(user, users, 1.7e9 + np.arange(n) * 1.0, place, places, lon, lat)


def box(side=8):
    return {"west": 0.0, "south": 0.0, "east": 10.0, "north": 10.0, "side": side}


@pytest.mark.parametrize("name", [one.name for one in formats() if not one.hidden])
def test_no_reader_is_silent(name):
    assert name in SAMPLES, "a format needs a large file here"
    few = OF_FORMAT.get(name, FEW)

    def work(data):
        reading = read(io.BytesIO(data), name=f"x.{name}")
        assert reading.report.format == name
        assert len(reading) >= few

    assert_never_silent(work, few, SAMPLES[name])


@pytest.mark.parametrize("kind", ["stream", "checkins"])
def test_no_table_of_another_kind_is_silent(kind):
    head, row = {"stream": ("time,a,b", "{0},{1},{2}"), "checkins": ("user_id,venue_id,time", "u{1},v{2},{3}")}[kind]

    def table(n):
        return "\n".join([head, *(row.format(i, i % 99, i % 50, 1_700_000_000 + i) for i in range(n))]).encode()

    assert_never_silent(lambda data: read(io.BytesIO(data), name="x.csv", kinds=(kind,)), FEW, table)


def test_a_large_archive_reports_each_member():
    def archive(n):
        return zipped(**{f"m{i}": b"time,lat,lon\n2024-06-15T10:30:00Z,52.5,13.4\n" for i in range(n)})

    assert_never_silent(lambda data: read(io.BytesIO(data), name="x.zip"), 50, archive, each=80)


def test_the_json_decoder_lets_other_threads_run():
    """It holds the interpreter's lock until it returns, but for calls of Python's functions."""
    text = b"[" + b"1.5,2," * 400_000 + b"3]"
    assert parsed(text, ReadOptions(), Report()) == [*[1.5, 2] * 400_000, 3]
    assert reports(lambda: parsed(text, ReadOptions(), Report())) > 100


@of(cleaning_steps)
def test_no_cleaning_step_is_silent(cls):
    needed = {"only-series": {"numbers": "1-10"}, "first-events": {"events": 5}, "trim-distance": {"trim_m": 1.0}}
    step = example(cls, **needed.get(cls.registered_name(), {}))
    assert_never_silent(step.apply, 300, lambda series: walks(20 * series, series), each=9)


def about(kind, data):
    """What is found out about data and stored of them."""
    kind.sketches(data, KEY, KEY)
    kind.facts(data)
    kind.content_digest(data)
    list(kind.to_tables(data))


@pytest.mark.parametrize("series", [1, 50])
def test_nothing_about_trajectories_is_silent(series):
    kind = datatypes["trajectory"]

    def made(n):
        return walks(n, series * n // 20_000 or 1)

    def work(data):
        about(kind, data)
        kind.outline(data)

    assert_never_silent(work, 40_000, made, each=0.02)
    assert reports(lambda: work(made(160_000))) > 2 * reports(lambda: work(made(40_000)))


@pytest.mark.parametrize(("name", "make"), [("stream", counts), ("checkins", checkins)])
def test_nothing_about_other_kinds_is_silent(name, make):
    kind = datatypes[name]
    assert_never_silent(lambda data: about(kind, data), 100_000, make)


def test_counting_events_and_detecting_stays_is_not_silent():
    spec, stays = AggregationSpec(cell_m=2000, step="1h", unit="event"), StaySpec(distance_m=200, duration_s=1200)

    def work(series):
        aggregate(events_of(series), spec)
        stays_of(series, stays)

    assert_never_silent(work, FEW, lambda n: walks(n, n // 100))


def test_stays_of_one_long_series_are_detected_in_parts(monkeypatch):
    """Anchors that fail move on by one: in a crowd of near events that takes the square of the time."""
    (one,) = walks(3000)

    def detected(found, reading):
        found.append(stay_points(one.lon, one.lat, one.time_s, reading=reading, distance_m=200.0, duration_s=1200.0))

    for reading in ("seed", "li08_def", "trackintel"):
        detected(found := [], reading)
        [whole], parts = found, []
        with monkeypatch.context() as patch:
            patch.setattr("privacy_engine.landmarks.staypoints.AT_ONCE", 100)
            count = reports(lambda reading=reading, parts=parts: detected(parts, reading))
        assert len(whole) > 10
        assert np.array_equal(parts[0], whole)
        assert count > 20


@of(mechanisms.of("trajectory"))
def test_no_release_of_trajectories_is_silent(cls):
    spec = ReleaseSpec(mechanism=example(cls).model_dump(), seed=1)
    for series in (1, 40):

        def made(n, series=series):
            data = walks(n, n * series // 2500 or 1)
            return data, marks(data)

        assert_never_silent(lambda data: spec.release(*data), 2500, made)


@of(mechanisms.of("stream"))
def test_no_release_of_counts_is_silent(cls):
    mechanism = example(cls, window=10)
    assert_never_silent(lambda data: mechanism.release(data, rng=np.random.default_rng(1)), 600, counts)


@of(cls for cls in mechanisms.of("checkins") if not cls.needs_venues)
def test_no_release_of_checkins_is_silent(cls):
    mechanism = example(cls, **box())
    assert_never_silent(lambda data: mechanism.release(data, rng=np.random.default_rng(1)), 5000, checkins)
    assert not cls.publishable or reports(lambda: mechanism.release(checkins(2000), rng=np.random.default_rng(1))) > 2


@of(postprocesses)
def test_no_step_after_a_release_is_silent(cls):
    step, mechanism = example(cls), EventLevel(epsilon=1.0, radius_m=200.0)

    def released(n):
        [one] = walks(n)
        return mechanism.release(one, LandmarkSet(np.zeros(n, dtype=np.bool_)), rng=np.random.default_rng(1))

    assert_never_silent(step.apply, FEW, released)


EXPORTS = [(kind, fmt) for kind, found in datatypes.items() for fmt in found.exports]


@pytest.mark.parametrize(("kind", "fmt"), EXPORTS)
def test_no_export_is_silent(kind, fmt):
    found, few = datatypes[kind], 60_000 if kind == "stream" else 20_000

    def made(n):
        if kind == "trajectory":
            data = walks(n, n // 10_000)
            spec = ReleaseSpec(mechanism=EventLevel(epsilon=1.0, radius_m=200.0).model_dump(), seed=1)
            return spec.release(data, marks(data))
        if kind == "stream":
            mechanism = example(next(iter(mechanisms.of("stream"))))
            return mechanism.release(counts(n // 10), rng=np.random.default_rng(1))
        mechanism = example(mechanisms["checkin-popularity"], **box(round((n / 6) ** 0.5)))
        return mechanism.release(checkins(1000), rng=np.random.default_rng(1))

    assert_never_silent(lambda data: found.write(data, fmt, io.BytesIO(), label={"text": "x"}), few, made)


@of(metrics.of("trajectory"))
def test_no_metric_is_silent_over_repetitions(cls):
    (truth,), metric = walks(240), example(cls)

    def work(n):
        lon, lat = (np.tile(axis, (n, 1)) for axis in (truth.lon, truth.lat))
        metric.over(truth, lon, lat, np.arange(len(truth)))

    assert_never_silent(work, 40)


@of(attacks.attacks)
def test_no_attack_is_silent(cls):
    attack, mechanism = example(cls), EventLevel(epsilon=1.0, radius_m=20.0)

    def made(n):
        series = walks(n, n // 150 if attack.population else 1)
        pairs = zip(series, marks(series), strict=True)
        drawn = [mechanism.release(one, mark, rng=np.random.default_rng(1)) for one, mark in pairs]
        return (series, drawn) if attack.population else (series[0], drawn[0])

    assert_never_silent(lambda given: attack.run(*given), 800, made)


@pytest.mark.parametrize("name", ["event-level", "stream-uniform", "checkin-popularity"])
def test_no_audit_is_silent(name, monkeypatch):
    monkeypatch.setattr("privacy_engine.audit.run.AT_ONCE", 250)
    chosen = {"stream-uniform": {"window": 3}, "checkin-popularity": {"side": 2}}.get(name, {})
    described = example(mechanisms[name], **chosen).model_dump()
    assert_never_silent(lambda n: audit(AuditSpec(mechanism=described, trials=n, seed=1)), 1000)


def test_no_simulation_is_silent():
    mechanism = EventLevel(epsilon=1.0, radius_m=200.0)

    def work(series):
        simulate([mechanism], series[0], marks(series), seed=1, repetitions=4)

    assert_never_silent(work, 100_000, walks)


@of(presets)
def test_no_experiment_is_silent(cls):
    """More repetitions are more reports, not longer silences."""
    preset = cls.model_validate({"name": cls.registered_name()})
    spec = preset.spec()
    cell = next(iter(spec.cells()))
    data = preset.selection().of([]) if spec.kind == "trajectory" else experiments.data_of(spec, None)
    assert_never_silent(lambda n: cell.values(data, range(n)), 2)


def test_compilation_reports_from_a_thread_of_its_own(monkeypatch):
    """A pass of LLVM reports nothing itself; numba's cache would compile nothing."""
    monkeypatch.setattr(kernels, "REPORTED_EVERY_S", 1e-4)
    main, others = threading.get_ident(), []

    def note():
        others.append(threading.get_ident() != main)

    with progress.listening(note):
        numba.njit(lambda x: x + 1)(2)
    assert any(others)


def test_silence_is_found():
    """The measure of these tests: a loop without a report is silent for as long as it is."""

    def loop(n):
        for i in range(n):
            abs(i)

    assert longest_silence(lambda: loop(5000)) > 5000
    with pytest.raises(AssertionError, match="silent for"):
        assert_never_silent(loop, 5000)
    assert_never_silent(lambda n: [abs(i) for i in progress.reported(range(n), 100)], 5000)
