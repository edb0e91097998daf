"""Where one owner, person, failure or row hides a fault: two of them."""

import io
import json
import zipfile
from dataclasses import replace
from datetime import timedelta
from unittest.mock import Mock

import numpy as np
import pytest
from django.db import OperationalError
from django.utils import timezone

from dashboard.accounts import access_trail
from dashboard.accounts.models import AccessEntry, User
from dashboard.core.errors import Conflict
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.maintenance import cleanup
from dashboard.projects import services as projects
from dashboard.projects.models import Membership, Role
from dashboard.publications import copies
from dashboard.publications.models import Publication
from dashboard.publications.services import publish_release, revoke_publication
from dashboard.storage import removals, stored_path
from dashboard.streams.selectors import budgets_before
from dashboard.streams.services import publish_events
from privacy_engine.data import Trajectory
from tests.dashboard import kinds
from tests.dashboard.release_runs import drawn, executed
from tests.dashboard.test_account_data import exported
from tests.s3_server import BUCKET


def test_who_leaves_a_project_takes_only_the_own_rows(owner, project, shared_dataset, member, make_dataset, paris_day):
    editor = member("editor")
    projects.move_row(user=editor, row=make_dataset(editor, paris_day), project=project.pk)
    projects.remove_member(membership=Membership.objects.get(user=editor))
    assert dict(Dataset.objects.values_list("owner__username", "project")) == {"editor": None, "owner": project.pk}


def test_a_project_has_at_most_so_many_members(project, stranger, monkeypatch):
    User.objects.create_user("third")
    monkeypatch.setattr(projects, "MOST_MEMBERS", 2)
    projects.add_member(project=project, username="stranger", role=Role.VIEWER)
    with pytest.raises(Conflict, match="at most 2 members"):
        projects.add_member(project=project, username="third", role=Role.VIEWER)


def files_of(owner):
    """What an export of the account has, by name."""
    with zipfile.ZipFile(exported(owner).path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_an_export_shows_who_read_what_is_the_users_and_not_what_the_user_read(owner, stranger):
    for whose, reader in ((owner, stranger), (stranger, owner)):
        AccessEntry.objects.create(owner=whose, user=reader, access="download", subject_id=whose.pk)
    assert [one["subject_id"] for one in json.loads(files_of(owner)["access.json"])] == [str(owner.pk)]


def test_an_export_has_the_points_of_a_dataset_whose_original_is_gone(owner, make_dataset, paris_day, settings):
    settings.CAIRN_ORIGINAL_DAYS = 1
    old, young = (make_dataset(owner, paris_day) for _ in range(2))
    Dataset.objects.filter(pk=old.pk).update(finished_at=timezone.now() - timedelta(days=2))
    cleanup.apply_retention()
    removals.finish()
    found = {name.rsplit("_", 1)[-1] for name in files_of(owner) if name.startswith("datasets/")}
    assert found == {
        *(f"{row.pk.hex[:8]}/dataset.json" for row in (old, young)),
        *(f"{old.pk.hex[:8]}/points.parquet", f"{young.pk.hex[:8]}/original"),
    }


def test_two_failures_of_the_database_lose_no_entry(owner, monkeypatch):
    rows = [AccessEntry(owner=owner, access="download", subject_id=owner.pk, operation=name) for name in "abc"]
    with monkeypatch.context() as patch:
        patch.setattr(type(AccessEntry.objects.all()), "bulk_create", Mock(side_effect=OperationalError))
        for row in rows[:2]:
            access_trail.write([row])
    access_trail.write(rows[2:])
    assert list(AccessEntry.objects.order_by("pk").values_list("operation", flat=True)) == ["a", "b", "c"]


def test_retention_leaves_what_is_counted_or_read_again(owner, make_dataset, paris_day, settings):
    settings.CAIRN_ORIGINAL_DAYS = 1
    plain, counted, stays, failed = (make_dataset(owner, paris_day) for _ in range(4))
    Dataset.objects.update(finished_at=timezone.now() - timedelta(days=2))
    Dataset.objects.filter(pk=failed.pk).update(state=State.FAILED, error={"code": "empty"})  # it can be read again
    Dataset.objects.filter(pk=counted.pk).update(aggregation={"dataset": str(plain.pk)})
    Dataset.objects.filter(pk=stays.pk).update(stay_detection={"dataset": str(plain.pk)})
    assert cleanup.apply_retention()["originals"] == 1
    assert list(Dataset.objects.exclude(original_removed_at=None)) == [plain]


def test_unfinished_files_are_listed_by_the_beginning_of_their_names(db):
    folder = stored_path.StoredPath("datasets/a")
    for name in ("points.parquet", "report.json"):
        with (folder / name).written() as out:
            out.write(b"content")
    for name in (".points.parquet.1.part", ".report.json.1.part"):
        stored_path.stored_files()._place(f"datasets/a/{name}").write_bytes(b"half")
    found = [one.name for one in stored_path.stored_files().listed("datasets/a/points")]
    assert sorted(found) == ["datasets/a/.points.parquet.1.part", "datasets/a/points.parquet"]


def test_the_budgets_before_a_timestamp_are_those_of_its_window(owner):
    stream = kinds.live_stream(owner, window=3)
    publish_events(stream=stream, events=[{"time": t, "counts": [t]} for t in range(6)])
    for t in range(6):
        stream.timestamps.filter(position=t).update(budget=t)
    assert [budgets_before(stream, t) for t in (0, 1, 5)] == [[], [0.0], [3.0, 4.0]]


def test_the_page_of_a_smoothed_release_states_no_noise(submit):
    plain, smoothed = (executed(submit(steps=steps)) for steps in ((), ({"name": "random-walk-smoother"},)))
    assert publish_release(release=plain).facts["noise_m"]
    assert publish_release(release=smoothed).facts["noise_m"] is None


def test_a_public_copy_names_neither_one_person_nor_two(owner, make_dataset):
    ada, bert = (
        Trajectory(np.array([2.3, 2.4]) + i, np.array([48.8, 48.9]), np.array([0.0, 60.0]), name, person=name)
        for i, name in enumerate(("Ada", "Bert"))
    )
    for series, people, names in (
        ([ada], [""], [""]),
        ([ada, bert], ["person 1", "person 2"], ["series 1", "series 2"]),
        ([ada, replace(ada, name="next day")], ["", ""], ["series 1", "series 2"]),
    ):
        found = copies.read_data(publish_release(release=drawn(owner, make_dataset(owner, *series))))
        assert [one.series.person for one in found] == people
        assert [one.series.name for one in found] == names


def test_a_file_of_a_link_that_is_revoked_while_it_is_rendered_goes(done, monkeypatch):
    row, other = publish_release(release=done), publish_release(release=done)
    read = copies.read_label

    def revoked(publication):
        found = read(publication)
        revoke_publication(publication=Publication.objects.get(pk=publication.pk))
        return found  # its files would go after the commit, and again if they are written later

    monkeypatch.setattr(copies, "read_label", revoked)
    with pytest.raises(FileNotFoundError, match="revoked"):
        copies.export(Publication.objects.get(pk=row.pk), "csv")
    assert (row.folder.exists(), other.data_path.exists()) == (False, True)


@pytest.mark.slow
def test_what_is_fetched_again_after_two_cuts_is_not_appended(transactional_db, s3_server, prefix, one):
    path, content = stored_path.StoredPath("datasets/a/points.parquet"), bytes(range(256)) * 12_000
    with path.written() as out:
        out.write(content)
    s3_server.fail(f"GET /{BUCKET}/{prefix}/{path} cut 2")
    whole = io.BytesIO(b"before")
    whole.seek(6)
    one.fetch(str(path), whole)
    assert whole.getvalue() == b"before" + content
