"""Experiments interrupted between two steps, by a second worker, their owner or the sweep: always one table.

What another process would do is done here in the middle of a worker's own step, so that the order is certain.
"""

import shutil
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.conf import settings
from django.db.models.functions import Now

from dashboard.datasets import services as datasets
from dashboard.experiments import execution, files
from dashboard.experiments.context import material_of
from dashboard.experiments.models import Experiment, ExperimentPart
from dashboard.jobs import leases, reaper
from dashboard.jobs.models import State
from privacy_engine.cleaning import DropRepeats
from privacy_engine.experiments import FolderStore, partition, presets, run
from tests.cases import refreshed
from tests.dashboard.conftest import upload
from tests.dashboard.experiment_runs import work_off
from tests.dashboard.test_experiments_api import SPEC, URL, digest_of, of

HOME = Path(settings.CAIRN_HOME)
pytestmark = pytest.mark.slow
LARGE = {"name": "correlated-loss", "repetitions": 10, "events": 60}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Large enough to be queued, small enough for a test; several parts all the same."""
    monkeypatch.setattr(execution.experiments, "AT_ONCE_S", 0.01)
    monkeypatch.setattr(partition, "SHORTEST_PART_S", 0.01)


@pytest.fixture(scope="module")
def expected():
    preset = presets.parse(LARGE)
    return run(preset.spec(), preset.data())


@pytest.fixture
def queued(owner_api):
    return owner_api.post(URL, {"preset": LARGE}, format="json").json()["id"]


@pytest.fixture
def computed(monkeypatch):
    return noticed(monkeypatch, execution, "compute")


def noticed(monkeypatch, module, name):
    calls = []
    plain = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *arguments: calls.append(arguments) or plain(*arguments))
    return calls


def once(monkeypatch, module, name, what):
    """``what`` happens as ``module.name`` is called for the first time, before it does its work."""
    plain, happened = getattr(module, name), []

    def first(*arguments):
        if not happened:
            happened.append(True)
            what()
        return plain(*arguments)

    monkeypatch.setattr(module, name, first)


def lost(row):
    """What the sweep does once the lease of its worker has expired."""
    type(row).objects.filter(pk=row.pk).update(lease_until=Now() - timedelta(seconds=1))
    assert reaper.sweep(type(row))["requeued"] == 1


def killed(monkeypatch, module, name):
    """The worker is killed as it calls ``module.name`` for the first time: it stores nothing any more."""
    with monkeypatch.context() as patch:
        patch.setattr(module, name, Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            work_off()


def waiting():
    return ExperimentPart.objects.filter(state=State.QUEUED).order_by("number")


def assert_the_engines_table(pk, expected):
    row = Experiment.objects.get(pk=pk)
    assert (row.state, row.error, row.progress) == (State.DONE, None, 1.0)
    assert files.read(row).equals(expected)
    assert not ExperimentPart.objects.exists()


class TestCutting:
    def test_it_is_cut_once_however_many_workers_hold_it(self, queued, computed, expected):
        work_off(0)
        cut = set(ExperimentPart.objects.values_list("pk", flat=True))
        began = ExperimentPart.objects.earliest("created_at").created_at
        for _ in range(3):
            work_off(1)
            row = Experiment.objects.get()
            assert (row.state, row.attempt, row.started_at) == (State.QUEUED, 0, began)
            assert set(ExperimentPart.objects.values_list("pk", flat=True)) == cut
        work_off()
        assert_the_engines_table(queued, expected)
        assert len(computed) == len({(block.cell.digest, block.first) for _, block, *_ in computed}) == 120

    @pytest.mark.parametrize("further", [0, 10_000])
    def test_a_worker_whose_lease_expired_leaves_its_successors_parts(self, queued, monkeypatch, expected, further):
        seen = []

        def replaced():
            lost(Experiment.objects.get())
            work_off(further)
            seen.append(set(ExperimentPart.objects.values_list("pk", "state")))

        once(monkeypatch, execution, "_loaded", replaced)
        execution.run(queued)
        assert set(ExperimentPart.objects.values_list("pk", "state")) == seen[0]
        work_off()
        assert_the_engines_table(queued, expected)

    def test_cancelled_and_resumed_meanwhile_the_new_claim_counts(self, queued, owner_api, monkeypatch, expected):
        def again():
            owner_api.post(of(queued, "cancel"))
            owner_api.post(of(queued, "resume"))

        once(monkeypatch, execution, "_loaded", again)
        execution.run(queued)
        row = Experiment.objects.get()
        assert (row.state, row.attempt, row.parts.count()) == (State.QUEUED, 0, 0)
        work_off()
        assert_the_engines_table(queued, expected)

    def test_cells_that_draw_the_same_landmarks_are_of_one_part(self, queued):
        """Two workers would each compute them: together they would take longer than one."""
        work_off(0)
        material = material_of(Experiment.objects.get())
        given = [part.given for part in waiting()]
        drawn = [{block.cell.draws for block in material.blocks[of["start"] : of["stop"]]} for of in given]
        assert len(material.blocks) == 120
        assert sum(map(len, drawn)) == len(set.union(*drawn)) == 30


class TestAtWork:
    def test_resumed_while_the_old_worker_is_in_its_block(self, queued, owner_api, monkeypatch, expected):
        def again():
            owner_api.post(of(queued, "cancel"))
            assert owner_api.post(of(queued, "resume")).json()["state"] == "queued"

        once(monkeypatch, execution, "compute", again)
        work_off()
        assert_the_engines_table(queued, expected)

    def test_it_gives_way_to_a_release_after_a_block(self, queued, submit, computed, expected):
        work_off(0)
        part = waiting().last()
        assert part.given["stop"] - part.given["start"] > 2
        release = submit()
        for turn in (1, 2):
            execution.run(queued)
            for row in (part, Experiment.objects.get()):
                assert (refreshed(row).state, row.attempt, row.token) == (State.QUEUED, 0, None)
            assert len(computed) == turn
        type(release).objects.update(state=State.CANCELLED, finished_at=Now())
        work_off(1)
        assert (refreshed(part).state, len(computed)) == (State.DONE, part.given["stop"] - part.given["start"])
        work_off()
        assert_the_engines_table(queued, expected)

    def test_no_worker_holds_it_for_long(self, queued, monkeypatch, expected):
        monkeypatch.setattr(execution, "HELD_S", 0.0)
        sessions = 0
        while Experiment.objects.get().state == State.QUEUED:
            execution.run(queued)
            sessions += 1
        assert sessions > 3
        assert_the_engines_table(queued, expected)

    def test_who_takes_a_part_of_one_that_no_worker_holds_holds_it(self, queued, expected):
        work_off(0)
        assert execution.run_part(waiting().first().pk)
        assert_the_engines_table(queued, expected)

    def test_one_failed_part_ends_it_though_others_wait(self, queued):
        work_off(0)
        part = waiting().first()
        ExperimentPart.objects.filter(pk=part.pk).update(attempt=settings.CAIRN_MAX_ATTEMPTS - 1)
        leases.claim(ExperimentPart, part.pk)
        ExperimentPart.objects.filter(pk=part.pk).update(lease_until=Now() - timedelta(seconds=1))
        once(monkeypatch := pytest.MonkeyPatch(), execution, "_run_part", lambda: reaper.sweep(ExperimentPart))
        work_off()
        monkeypatch.undo()
        row = Experiment.objects.get()
        assert (row.state, row.error["code"], row.parts.count()) == (State.FAILED, "crashed", 0)


class TestTheEnd:
    def test_a_second_worker_that_makes_the_table_too_changes_nothing(self, queued, monkeypatch, expected):
        written = noticed(monkeypatch, files, "write")

        def replaced():
            lost(Experiment.objects.get())
            execution.run(queued)

        once(monkeypatch, files, "write", replaced)
        work_off()
        assert len(written) == 2
        assert_the_engines_table(queued, expected)
        row = Experiment.objects.get()
        assert row.folder.iterdir() == [row.table_path(row.table_sha256)]

    @pytest.mark.parametrize("step", [(execution, "_cut"), (execution, "_computed"), (files, "write")])
    def test_killed_it_is_gone_on_with_by_another(self, queued, monkeypatch, expected, computed, step):
        if step[0] is files:
            work_off(2)
        killed(monkeypatch, *step)
        before = len(computed)
        row = Experiment.objects.get()
        assert (row.state, row.attempt) == (State.RUNNING, 1)
        lost(row)
        for part in ExperimentPart.objects.filter(state=State.RUNNING):
            lost(part)
        work_off()
        assert len(computed) == 120
        assert before in (0, 120)
        assert_the_engines_table(queued, expected)

    def test_killed_there_again_and_again_it_is_given_up(self, queued, monkeypatch):
        for _ in range(settings.CAIRN_MAX_ATTEMPTS):
            killed(monkeypatch, files, "write")
            Experiment.objects.update(lease_until=Now() - timedelta(seconds=1))
            reaper.sweep(Experiment)
        row = Experiment.objects.get()
        assert (row.state, row.error["code"]) == (State.FAILED, "crashed")

    def test_a_table_that_cannot_be_written_fails_it_and_it_resumes_from_there(
        self, queued, owner_api, monkeypatch, computed, expected
    ):
        with monkeypatch.context() as patch:
            patch.setattr(files, "write", Mock(side_effect=OSError("No space left on device")))
            work_off()
        reported = owner_api.get(of(queued)).json()
        error = reported["error"]
        assert (reported["state"], error["code"], error["again"]) == ("failed", "internal", True)
        before = len(computed)
        owner_api.post(of(queued, "resume"))
        work_off()
        assert len(computed) == before
        assert_the_engines_table(queued, expected)


class TestBlocksThatGo:
    def test_cleared_away_meanwhile_they_are_computed_again(self, queued, expected):
        work_off(2)
        shutil.rmtree(HOME / "blocks")
        work_off()
        assert_the_engines_table(queued, expected)

    def test_but_only_three_times_and_at_once_no_one_reads_them_back(self, owner_api, queued, monkeypatch):
        monkeypatch.setattr(FolderStore, "get", lambda *_: None)
        work_off()
        assert Experiment.objects.get().error["code"] == "crashed"
        monkeypatch.setattr(execution.experiments, "AT_ONCE_S", 1.0)
        made = owner_api.post(URL, {"preset": {"name": "temporal-distance", "repetitions": 3}}, format="json")
        assert (made.status_code, made.json()["state"]) == (201, "done")

    def test_a_folder_that_goes_in_the_very_moment_is_made_again(self, queued, monkeypatch, expected):
        kept = HOME / "blocks"
        plain, gone = Path.replace, []

        def replace(self, target):
            if self.name.startswith(".block-") and Path(target).parent.exists() and not gone:
                gone.append(True)
                shutil.rmtree(Path(target).parents[1])
            return plain(self, target)

        monkeypatch.setattr(Path, "replace", replace)
        work_off()
        assert gone
        assert_the_engines_table(queued, expected)
        assert not list(kept.rglob(".block-*"))


class TestItsDataset:
    @pytest.fixture
    def tried(self, owner, owner_api):
        body = b"lon,lat\n13.4,52.51\n13.4,52.52\n13.4,52.52\n13.4,52.53\n"
        dataset = datasets.import_dataset(owner=owner, upload=upload(body))
        requested = {"dataset": str(dataset.pk), "spec": SPEC | {"repetitions": 200}}
        return dataset, owner_api.post(URL, requested, format="json").json()["id"]

    def test_is_not_read_again_while_it_runs(self, tried, owner_api):
        dataset, pk = tried
        for begun in (False, True):
            if begun:
                work_off(0)
            again = owner_api.post(f"/api/v1/datasets/{dataset.pk}/read/", {"options": {}}, format="json")
            assert again.status_code == 409, again.content
        work_off()
        assert Experiment.objects.get(pk=pk).state == State.DONE
        assert datasets.reread_dataset(dataset=dataset, options={}).state == State.READY

    def test_read_again_in_between_it_resumes_with_the_new_points(self, tried, owner_api):
        dataset, pk = tried
        work_off(1)
        owner_api.post(of(pk, "cancel"))
        before = Experiment.objects.get(pk=pk)
        datasets.reread_dataset(dataset=dataset, options={}, cleaning=[DropRepeats()])
        assert owner_api.post(of(pk, "resume")).status_code == 200
        work_off()
        row = Experiment.objects.get(pk=pk)
        assert (row.state, before.lengths, row.lengths) == (State.DONE, [4], [3])
        assert row.data_digest not in ("", before.data_digest)


def test_deleted_while_it_runs_no_file_comes_back(
    queued, owner_api, monkeypatch, expected, django_capture_on_commit_callbacks
):
    def deleted():
        with django_capture_on_commit_callbacks(execute=True):
            assert owner_api.delete(of(queued)).status_code == 204

    work_off(1)
    once(monkeypatch, execution, "compute", deleted)
    work_off()
    assert not [path for name in ("blocks", "experiments") for path in (HOME / name).rglob("*") if path.is_file()]
    again = owner_api.post(URL, {"preset": LARGE}, format="json").json()["id"]
    work_off()
    assert_the_engines_table(again, expected)
    assert digest_of(owner_api, again) == Experiment.objects.get().table_sha256
