"""Releases in parts: the same for every cut and number of workers, charged once, and nothing left behind."""

from datetime import timedelta
from functools import partial

import pytest
from django.core.files.base import ContentFile
from django.db.models.functions import Now

from dashboard.datasets.services import import_dataset
from dashboard.jobs import queue, reaper
from dashboard.jobs.models import State
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import execution, files
from dashboard.releases.models import Release, ReleasePart
from dashboard.releases.trajectory import parts as of_trajectories
from dashboard.storage import data_files, parquet
from privacy_engine.data.units import units_of
from privacy_engine.errors import DataError
from privacy_engine.releases import spec as specs
from tests.cases import refreshed
from tests.dashboard.api_helpers import UNIFORM
from tests.dashboard.release_runs import charges, executed, stopped_in_its_first_part, submitted

PEOPLE, EVENTS, UNIT = 7, 60, 130
MECHANISMS = (UNIFORM, UNIFORM | {"name": "landmark-skip"}, UNIFORM | {"name": "landmark-adaptive"})


@pytest.fixture(autouse=True)
def small_units(monkeypatch):
    for module in (specs, data_files):
        monkeypatch.setattr(module, "units_of", partial(units_of, events=UNIT))


@pytest.fixture
def marks(owner):
    rows = ["person,time,lat,lon"]
    for person in range(PEOPLE):
        for i in range(EVENTS):
            rows.append(
                f"p{person},2024-06-01T{i // 60 + 8:02d}:{i % 60:02d}:00Z,{48.8 + i * 1e-4},{2.3 + person * 1e-2}"
            )
    upload = ContentFile("\n".join(rows).encode(), name="people.csv")
    dataset = import_dataset(owner=owner, upload=upload, options={"person": "column:person"})
    events = [*range(0, PEOPLE * EVENTS, 7)]
    return mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": events}, name="some")


def at_once(monkeypatch, *submission, **more):
    with monkeypatch.context() as patched:
        patched.setattr(of_trajectories, "pieces_of", lambda row: [])
        return executed(submitted(*submission, **more))


def stored(release):
    tables = [parquet.read_table(path) for path in (release.data_path, release.budgets_path, release.errors_path)]
    return [table.replace_schema_metadata(None) for table in tables], parquet.read_schema(release.data_path).metadata


def remains(release):
    """Names of files of parts, and their rows."""
    return [path.name for path in files._parts(release.pk, release.dataset_id)], ReleasePart.objects.count()


def of(release):
    return ReleasePart.objects.filter(job=release)


def begun(release, workers_parts=()):
    """A release that is cut; other workers have taken the parts of these numbers, and the worker of the job is lost."""
    plain = execution.run_part

    def lost(pk):
        for number in workers_parts:
            assert plain(of(release).get(number=number).pk)
        raise KeyboardInterrupt  # as if the process were killed: it stores nothing any more

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(execution, "run_part", lost)
        with pytest.raises(KeyboardInterrupt):
            execution.run(release.pk)
    Release.objects.filter(pk=release.pk).update(lease_until=Now() - timedelta(seconds=1))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: one["name"])
def test_parts_store_what_a_release_at_once_does(monkeypatch, marks, mechanism):
    one = at_once(monkeypatch, marks, mechanism, seed=3)
    other = executed(submitted(marks, mechanism, seed=3))
    assert one.state == other.state == State.DONE, (one.error, other.error)
    assert stored(one) == stored(other)
    for column in ("data_sha256", "summary", "owner_view", "engine_version"):
        assert getattr(one, column) == getattr(other, column)
    assert other.data_sha256 == data_files.datatypes[other.kind].digest(
        data_files.read_release(other.kind, other.data_path)
    )
    assert remains(other) == ([], 0)


def test_a_release_is_cut_by_people_and_its_worker_takes_every_part(monkeypatch, marks):
    taken = []
    plain = execution.run_part
    monkeypatch.setattr(execution, "run_part", lambda pk: taken.append(of(release).get(pk=pk)) or plain(pk))
    release = submitted(marks)
    assert executed(release).state == State.DONE
    drawn = sorted((part.number, part.weight) for part in taken if part.step == "draw")
    assert drawn == [(0, 120.0), (1, 120.0), (2, 120.0), (3, 60.0)]
    assert charges(release) == [1]


def test_a_try_after_a_lost_worker_draws_only_what_is_missing(monkeypatch, marks):
    release = submitted(marks, seed=3)
    whole = at_once(monkeypatch, marks, seed=3)
    begun(release, workers_parts=(0, 2))
    assert sorted(of(release).filter(state=State.DONE).values_list("number", flat=True)) == [0, 2]
    assert reaper.sweep(Release)["requeued"] == 1
    drawn = []
    plain = of_trajectories._drawn
    monkeypatch.setattr(of_trajectories, "_drawn", lambda part, lease: drawn.append(part.number) or plain(part, lease))
    assert executed(release).state == State.DONE
    assert sorted(drawn) == [1, 3]
    assert refreshed(release).data_sha256 == whole.data_sha256
    assert remains(release) == ([], 0)


def test_a_part_whose_files_are_gone_is_drawn_again(marks):
    release = submitted(marks, seed=3)
    begun(release, workers_parts=(1,))
    for path in files._parts(release.pk, release.dataset_id):
        path.unlink()
    reaper.sweep(Release)
    assert executed(release).state == State.DONE


def test_a_part_that_fails_ends_the_job_with_its_error_and_a_retry_may_succeed(monkeypatch, marks):
    release = submitted(marks)
    plain = of_trajectories._drawn

    def failing(part, lease):
        if part.number == 1:
            raise DataError("events must be fewer", field="events", rule="fewer")
        return plain(part, lease)

    monkeypatch.setattr(of_trajectories, "_drawn", failing)
    row = executed(release)
    assert (row.state, row.error["message"], row.error["field"]) == (State.FAILED, "events must be fewer", "events")
    assert remains(release) == ([], 0)
    monkeypatch.setattr(of_trajectories, "_drawn", plain)
    queue.retry(row)
    assert executed(row).state == State.DONE
    assert charges(release) == [1]


@pytest.mark.parametrize("end", ["cancel", "delete"])
def test_an_owner_who_stops_a_release_stops_all_its_parts(monkeypatch, marks, end):
    release = submitted(marks)
    drawn = stopped_in_its_first_part(monkeypatch, of_trajectories, "_drawn", release, end)
    execution.run(release.pk)
    assert len(drawn) == 1
    assert list(Release.objects.filter(pk=release.pk).values_list("state", flat=True)) == ["cancelled"] * (
        end == "cancel"
    )
    assert remains(release) == ([], 0)


def test_a_part_of_a_release_that_is_over_is_not_begun(marks):
    release = submitted(marks)
    begun(release)
    Release.objects.filter(pk=release.pk).update(cancel_requested=True)
    assert reaper.sweep(Release)["cancelled"] == 1
    part = of(release).first()
    assert execution.run_part(part.pk)
    assert refreshed(part).state == State.CANCELLED
    assert remains(release)[0] == []


def test_a_worker_that_lost_its_part_publishes_nothing_of_it(monkeypatch, marks):
    release = submitted(marks, seed=3)
    begun(release)
    plain = of_trajectories._drawn

    def slow(part, lease):
        made = plain(part, lease)
        monkeypatch.setattr(of_trajectories, "_drawn", plain)
        of(release).filter(pk=part.pk).update(lease_until=Now() - timedelta(seconds=1))
        reaper.sweep(Release)
        reaper.sweep(ReleasePart)
        assert executed(release).state == State.DONE  # by another worker, meanwhile
        return made

    monkeypatch.setattr(of_trajectories, "_drawn", slow)
    execution.run_part(of(release).first().pk)
    assert remains(release) == ([], 0)
    assert refreshed(release).state == State.DONE
