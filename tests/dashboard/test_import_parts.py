"""Imports and counts of events in parts: the same facts and counts, and nothing left of a part."""

from functools import partial

import numpy as np
import pytest
from django.core.files.base import ContentFile

from dashboard.datasets import execution, services
from dashboard.datasets.aggregation import aggregate_dataset
from dashboard.datasets.evidence import Sketches
from dashboard.datasets.ledger_models import SourceFile
from dashboard.datasets.models import Dataset, DatasetPart
from dashboard.datasets.services import import_dataset
from dashboard.datasets.trajectory import parts as of_people
from dashboard.jobs import queue
from dashboard.jobs.models import State
from dashboard.storage import data_files
from dashboard.storage.data_files import read_data
from dashboard.storage.stored_path import StoredPath
from privacy_engine.aggregation import AggregationSpec
from privacy_engine.analysis import data_scale
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.data.units import units_of
from privacy_engine.errors import DataError
from tests.cases import refreshed
from tests.dashboard.release_runs import stopped_in_its_first_part

UNIT = 100


@pytest.fixture(autouse=True)
def small_units(monkeypatch):
    for module in (data_files, data_scale):
        monkeypatch.setattr(module, "units_of", partial(units_of, events=UNIT))
    monkeypatch.setattr(services, "NOW_PLAIN_BYTES", -1)  # a worker reads it


@pytest.fixture
def waiting(owner):
    def uploaded():
        rows = ["person,time,lat,lon"]
        for person in range(6):
            for i in range(45):
                time = f"2024-06-01T{8 + i // 60:02d}:{i % 60:02d}:00Z"
                rows.append(f"p{person},{time},{48.8 + i * 1e-4:.6f},{2.3 + person * 1e-2:.6f}")
        upload = ContentFile("\n".join(rows).encode(), name="people.csv")
        row = import_dataset(owner=owner, upload=upload, options={"person": "column:person"})
        assert row.state == State.QUEUED
        return row

    return uploaded


def imported(row):
    assert execution.run(row.pk)
    return refreshed(row)


def stored_sketches(row):
    return [(bytes(sketch.timed), bytes(sketch.places)) for sketch in row.source_file.sketches.all()]


def remains(row):
    return [path.name for path in row.folder.iterdir("part-")], DatasetPart.objects.count()


def test_the_facts_are_those_of_all_points_at_once(monkeypatch, waiting):
    parts = []
    plain = execution.run_part
    monkeypatch.setattr(execution, "run_part", lambda pk: parts.append(pk) or plain(pk))
    row = imported(waiting())
    assert (row.state, len(parts)) == (State.READY, 3), row.error
    assert remains(row) == ([], 0)
    sketches = stored_sketches(row)
    monkeypatch.setattr(of_people, "_units", lambda *_: [])
    at_once = imported(waiting())
    assert at_once.summary == row.summary
    assert stored_sketches(at_once) == sketches != []


def test_the_sketches_of_a_cleaned_file_are_of_all_that_was_read(monkeypatch, waiting):
    plain = stored_sketches(imported(waiting()))
    SourceFile.objects.all().delete()
    row = waiting()
    row.cleaning = [{"name": "first-events", "events": 20}]
    row.save()
    row = imported(row)
    assert row.points == 6 * 20
    assert stored_sketches(row) == plain


@pytest.mark.parametrize("timed", [True, False])
def test_sketches_of_parts_are_joined(timed):
    rng = np.random.default_rng(3)
    steps = rng.integers(0, 2_000, (2, 9_000)) / 1e4
    starts = np.array([0, 3_000, 3_000, 9_000])
    whole = Trajectories(*steps, starts, ["a", "b", "c"], ["a", "b", "c"], time_s=np.arange(9_000.0) if timed else None)
    parts = [Sketches.of("trajectory", whole[some]) for some in (slice(0, 1), slice(1, 2), slice(2, 3))]
    assert Sketches.joined(parts) == Sketches.of("trajectory", whole)
    assert bool(Sketches.joined(parts).timed) is timed
    assert Sketches.joined([]) == Sketches()


@pytest.mark.parametrize("unit", ["event", "series", "person"])
def test_the_counts_of_events_are_those_of_all_at_once(monkeypatch, waiting, unit):
    dataset = imported(waiting())
    spec = AggregationSpec.parse(
        {"cell_m": 500.0, "step": "hour", "time_zone": "UTC", "unit": unit, "most": 1 if unit == "event" else 2}
    )
    parts = []
    plain = of_people.visits_of
    monkeypatch.setattr(of_people, "visits_of", lambda *of: parts.append(of) or plain(*of))
    row = imported(aggregate_dataset(dataset=dataset, spec=spec))
    assert (row.state, len(parts), remains(row)) == (State.READY, 3, ([], 0)), row.error
    monkeypatch.setattr(of_people, "_units", lambda *_: [])
    other = imported(aggregate_dataset(dataset=dataset, spec=spec))
    one, two = (read_data(counts.kind, counts.points_path) for counts in (row, other))
    np.testing.assert_array_equal(one.counts, two.counts)
    assert (one.counted, one.names, one.labels, row.report) == (two.counted, two.names, two.labels, other.report)


def test_a_part_that_fails_ends_the_import_with_its_error_and_a_retry_may_succeed(monkeypatch, waiting):
    plain = of_people.work

    def failing(part, lease):
        raise DataError("events must be fewer", field="events", rule="fewer")

    monkeypatch.setattr(of_people, "work", failing)
    row = imported(waiting())
    assert (row.state, row.error["message"], remains(row)) == (State.FAILED, "events must be fewer", ([], 0))
    monkeypatch.setattr(of_people, "work", plain)
    queue.retry(row)
    assert imported(row).state == State.READY


@pytest.mark.parametrize("end", ["cancel", "delete"])
def test_an_import_that_is_stopped_stops_its_parts(monkeypatch, waiting, end):
    row = waiting()
    begun = stopped_in_its_first_part(monkeypatch, of_people, "work", row, end)
    execution.run(row.pk)
    assert len(begun) == 1
    assert list(Dataset.objects.values_list("state", flat=True)) == ([State.CANCELLED] if end == "cancel" else [])
    assert remains(row) == ([], 0)
    assert [path.name for path in StoredPath(f"datasets/{row.pk}").iterdir("points-")] == []
