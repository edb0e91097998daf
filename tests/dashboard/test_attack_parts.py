"""Attacks on all people in parts: the same result for every cut and number of workers, and nothing left behind."""

from datetime import timedelta

import numpy as np
import pytest
from django.db.models.functions import Now

from dashboard.attacks import execution, files, services
from dashboard.attacks.models import Attack, AttackPart
from dashboard.jobs import queue, reaper
from dashboard.jobs.models import State
from privacy_engine.attacks import attacks
from privacy_engine.attacks.reidentification import Reidentification
from privacy_engine.errors import DataError
from tests.cases import refreshed
from tests.dashboard.attack_helpers import CROWD, HOME_WORK, crowd, engine_result  # noqa: F401
from tests.dashboard.release_runs import stopped_in_its_first_part


@pytest.fixture
def waiting(crowd, monkeypatch):  # noqa: F811
    """An attack on three people that waits, in as many parts."""
    monkeypatch.setattr(services, "SMALL", 0)
    row, _ = services.submit_attack(owner=crowd.dataset.owner, release=crowd, attack=attacks.parse(CROWD))
    assert row.state == State.QUEUED
    cut_into(monkeypatch, row, 3)
    return row


def cut_into(monkeypatch, row, parts):
    monkeypatch.setattr(execution, "LEAST_S", row.work_s / (parts + 0.5))


def attacked(row):
    assert execution.run(row.pk)
    return refreshed(row)


def remains(row):
    return [path.name for path in row.folder.iterdir("part-")], AttackPart.objects.count()


def begun(row, parts=()):
    """Its worker is killed once it has cut it; other workers have done the parts of these numbers."""
    plain = execution.run_part

    def killed(pk):
        for number in parts:
            assert plain(row.parts.get(number=number).pk)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(execution, "run_part", killed)
        with pytest.raises(KeyboardInterrupt):
            execution.run(row.pk)
    Attack.objects.filter(pk=row.pk).update(lease_until=Now() - timedelta(seconds=1))
    assert reaper.sweep(Attack)["requeued"] == 1


@pytest.fixture
def tried(monkeypatch):
    """The numbers of the releases that were tried, part by part."""
    ranges, plain = [], Reidentification.part

    def part(attack, truths, releases, some, **rest):
        ranges.append(some)
        return plain(attack, truths, releases, some, **rest)

    monkeypatch.setattr(Reidentification, "part", part)
    return ranges


@pytest.mark.parametrize(("parts", "expected"), [(1, [range(3)]), (2, [range(1, 3), range(1)]), (3, None)])
def test_every_cut_gives_the_result_of_the_engine(monkeypatch, waiting, crowd, tried, parts, expected):  # noqa: F811
    whole = engine_result(crowd, CROWD)
    tried.clear()
    cut_into(monkeypatch, waiting, parts)
    row = attacked(waiting)
    assert row.state == State.DONE, row.error
    assert tried == (expected or [range(2, 3), range(1, 2), range(1)])
    kept = files.read(row)
    assert {**kept.facts, **{name: values.tolist() for name, values in kept.columns.items()}} == whole
    assert remains(row) == ([], 0)


def test_an_attack_on_one_person_is_not_cut(crowd, monkeypatch):  # noqa: F811
    monkeypatch.setattr(services, "SMALL", 0)
    row, _ = services.submit_attack(owner=crowd.dataset.owner, release=crowd, attack=attacks.parse(HOME_WORK))
    cut_into(monkeypatch, row, 3)
    assert len(execution.pieces_of(row)) < 2


def test_a_try_after_a_lost_worker_does_only_what_is_missing(waiting, crowd, tried):  # noqa: F811
    begun(waiting, parts=(0, 2))  # two workers
    assert len(remains(waiting)[0]) == 2
    tried.clear()
    row = attacked(waiting)
    assert (row.state, tried) == (State.DONE, [range(1, 2)])
    np.testing.assert_array_equal(files.read(row).columns["rank"], engine_result(crowd, CROWD)["rank"])
    assert remains(row) == ([], 0)


def test_a_part_whose_file_is_gone_is_done_again(waiting):
    begun(waiting, parts=(1,))
    for path in waiting.folder.iterdir("part-"):
        path.unlink()
    assert attacked(waiting).state == State.DONE


def test_a_part_that_fails_ends_the_attack_with_its_error_and_a_retry_may_succeed(monkeypatch, waiting):
    with monkeypatch.context() as patched:
        wrong = DataError("times must be in all series", field="time_s", rule="all or none")
        patched.setattr(execution, "_everyone", lambda row: (_ for _ in ()).throw(wrong))
        row = attacked(waiting)
        assert (row.state, row.error["field"], remains(row)) == (State.FAILED, "time_s", ([], 0))
    queue.retry(row)
    assert attacked(row).state == State.DONE


@pytest.mark.parametrize("end", ["cancel", "delete"])
def test_an_attack_that_is_stopped_stops_its_parts(monkeypatch, waiting, end):
    begun = stopped_in_its_first_part(monkeypatch, execution, "_part", waiting, end)
    execution.run(waiting.pk)
    assert len(begun) == 1
    assert list(Attack.objects.values_list("state", flat=True)) == ([State.CANCELLED] if end == "cancel" else [])
    assert remains(waiting) == ([], 0)
    assert waiting.folder.iterdir() == []
