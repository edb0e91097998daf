"""All of an account in one ZIP, and the account deleted: nothing stays but the ledger's tombstones."""

import hashlib
import json
import re
import zipfile
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from dashboard.account_data import archive, execution, services
from dashboard.account_data.models import AccountExport
from dashboard.accounts import services as accounts
from dashboard.accounts.models import User
from dashboard.datasets import ledger
from dashboard.datasets.models import BudgetEntry, Lineage, SourceFile
from dashboard.datasets.services import delete_dataset, import_dataset, set_budget
from dashboard.jobs.models import State
from dashboard.releases import execution as release_execution
from dashboard.releases.models import Release
from tests.cases import refreshed
from tests.dashboard.conftest import upload
from tests.dashboard.release_runs import drawn
from tests.dashboard.rows import rows_of
from tests.dashboard.test_passwords import OLD, is_in, logged_in, with_password
from tests.dashboard.test_second_factor import enabled

API = "/api/v1/account-exports/"
DAY = b"time,lat,lon\n" + b"".join(b"2024-06-15T%02d:00:00Z,52.5%02d,13.4%02d\n" % (i, i, i) for i in range(24))
TEN_MINUTES = [
    b"time,lat,lon\n",
    *(b"2024-06-15T%02d:%02d:00Z,52.5%03d,13.4%03d\n" % (i // 6, i % 6 * 10, i, i) for i in range(144)),
]


def exported(owner):
    row = AccountExport.objects.filter(owner=owner, state=State.QUEUED).first() or services.request_export(owner=owner)
    execution.run(row.pk)
    return refreshed(row)


def released(owner, body=DAY, name="day.csv", **more):
    return drawn(owner, import_dataset(owner=owner, upload=upload(body, name), **more), (0, 3))


class TestExport:
    def test_has_every_original_release_label_and_row(self, owner, ready_dataset):
        rows_of(owner, ready_dataset)
        release = released(owner)
        accounts.make_token(user=owner, name="nightly")
        row = exported(owner)
        assert (row.state, row.left_out) == (State.DONE, [])
        assert hashlib.sha256(row.path.read_bytes()).hexdigest() == row.sha256
        with zipfile.ZipFile(row.path) as packed:
            assert packed.testzip() is None
            files = {name: packed.read(name) for name in packed.namelist()}
        folder = f"datasets/day.csv_{release.dataset.pk.hex[:8]}"
        assert files[f"{folder}/original.csv"] == DAY
        table = files[f"{folder}/releases/{release.public_stem}/release.csv"].decode().splitlines()
        assert len([line for line in table if not line.startswith("#")]) == 24 + 1
        assert json.loads(files[f"{folder}/releases/{release.public_stem}/label.json"])["release"] == str(release.pk)
        marks = json.loads(files[f"{folder}/landmark-sets/{release.landmark_set_id}.json"])
        assert (marks["count"], marks["runs"]) == (2, [[0, 1], [3, 4]])
        account = json.loads(files["account.json"])
        assert (account["username"], account["tokens"][0]["name"]) == ("owner", "nightly")
        assert "password" not in account
        charges = [one for file in json.loads(files["ledger.json"])["source_files"] for one in file["charges"]]
        assert {one["release_id"] for one in charges} >= {str(release.pk)}
        assert sum(one["amount"] for one in charges) == sum(BudgetEntry.objects.values_list("amount", flat=True))
        assert len(json.loads(files["publications.json"])) == 1
        assert {path.split("/")[0] for path in files} >= {"datasets", "experiments", "streams", "README.txt"}
        (stream,) = (json.loads(body) for path, body in files.items() if path.startswith("streams/"))
        assert len(stream["published"]) == 1
        for line in files["SHA256SUMS"].decode().splitlines():
            digest, path = line.split("  ", 1)
            assert hashlib.sha256(files[path]).hexdigest() == digest

    def test_has_nothing_of_another_user(self, owner, stranger):
        released(stranger, name="secret.csv")
        with zipfile.ZipFile(exported(owner).path) as packed:
            everything = b"".join(name.encode() + packed.read(name) for name in packed.namelist())
        assert not re.search(f"secret|{stranger.pk}".encode(), everything)

    def test_what_is_deleted_meanwhile_is_left_out_and_named(self, owner, monkeypatch):
        release, members = released(owner), archive.members

        def then_gone(user):
            found = members(user)
            delete_dataset(dataset=release.dataset)
            return found

        monkeypatch.setattr(archive, "members", then_gone)
        row = exported(owner)
        assert row.state == State.DONE
        assert {path.rpartition("/")[2] for path in row.left_out} >= {"release.csv", "label.json"}

    def test_a_full_disk_fails_the_job_by_name_before_it_writes(self, owner, monkeypatch):
        released(owner)
        monkeypatch.setattr(execution, "SPARE_BYTES", 1 << 62)
        row = exported(owner)
        assert (row.state, row.error["code"], row.path.exists()) == (State.FAILED, "disk-full", False)

    def test_one_at_a_time_and_the_one_before_is_deleted(self, owner, owner_api, django_capture_on_commit_callbacks):
        here = logged_in(owner)
        assert here.post("/account-exports/").status_code == 302
        assert here.post("/account-exports/").status_code == owner_api.post(API).status_code == 409
        assert "list of jobs" in here.get("/account-exports/").content.decode()
        row = AccountExport.objects.get()
        execution.run(row.pk)
        assert f"{API}{row.pk}/data/" in here.get("/account-exports/").content.decode()
        body = owner_api.get(f"{API}{row.pk}/data/")
        assert (body["Content-Type"], body["Cache-Control"]) == ("application/zip", "private, no-store")
        assert body.getvalue()[:2] == b"PK"
        with django_capture_on_commit_callbacks(execute=True):
            made = owner_api.post(API)
        assert (made.status_code, made.json()["urls"]["data"]) == (201, None)
        assert not row.path.exists()
        assert AccountExport.objects.count() == 1

    def test_is_deleted_after_its_time(self, owner, django_capture_on_commit_callbacks):
        row, old = exported(owner), timezone.now() - timedelta(hours=settings.CAIRN_EXPORT_HOURS, seconds=1)
        with django_capture_on_commit_callbacks(execute=True):
            assert services.forget_expired() == 0
            AccountExport.objects.update(finished_at=old)
            assert services.forget_expired() == 1
        assert not row.path.exists()


class TestDeletion:
    FORM = {"name": "owner", "password": OLD}

    def test_needs_name_and_password(self, owner):
        here = logged_in(with_password(owner))
        name = "Type the user name as it is"
        for change, message in [
            *(({"name": "Owner"}, name), ({"name": ""}, name)),
            *(({"password": "guess"}, "That is not your password"), ({"password": ""}, "Enter your password")),
        ]:
            answer = here.post("/account/delete/", self.FORM | change)
            assert (answer.status_code, message in answer.content.decode()) == (400, True), change
        assert User.objects.filter(username="owner").exists()
        codes, here = enabled(with_password(owner)), logged_in(owner)
        for form in (self.FORM, self.FORM | {"code": "x"}, self.FORM | {"code": codes[0], "password": "guess"}):
            assert here.post("/account/delete/", form).status_code == 400
        assert here.post("/account/delete/", self.FORM | {"code": codes[0]})["Location"] == "/login/"
        assert not User.objects.filter(username="owner").exists()

    def test_of_an_account_without_a_password_is_by_command(self, owner):
        answer = logged_in(owner).post("/account/delete/", {"name": "owner", "password": ""})
        assert "delete_account" in answer.content.decode()
        with pytest.raises(CommandError, match="0 datasets would be deleted"):
            call_command("delete_account", "owner")
        assert User.objects.exists()
        call_command("delete_account", "owner", "--yes")
        assert not User.objects.exists()

    def test_leaves_no_way_in_and_the_tombstone(self, owner, ready_dataset):
        with_password(owner)
        rows = rows_of(owner, ready_dataset)
        token = accounts.make_token(user=owner)[1]
        link = owner.publications.get().path
        assert Client().get(link).status_code == 200
        here, there = logged_in(owner), logged_in(owner)
        assert here.post("/account/delete/", self.FORM)["Location"] == "/login/"
        assert not is_in(here)
        assert not is_in(there)
        assert APIClient(headers={"Authorization": f"Token {token}"}).get("/api/v1/datasets/").status_code == 401
        assert Client().get(link).status_code == 404
        assert not SourceFile.objects.exclude(owner=None).exists()
        assert BudgetEntry.objects.filter(release_id=rows["releases"]).exists()  # the tombstone

    def test_another_account_is_not_concerned_and_a_worker_that_runs_meanwhile_stores_nothing(
        self, owner, stranger, submit
    ):
        kept, running = released(stranger), submit()
        released(owner)
        services.delete_account(user=owner)
        release_execution.run(running.pk)
        assert Release.objects.get() == kept
        assert ledger.spent(kept.dataset) == {"per_km": 5.0, "releases": 1, "events": 24}
        assert kept.dataset.original_path.exists()


class TestTombstones:
    @pytest.mark.parametrize(("rows", "spent"), [(1, 0.0), (99, 0.0), (100, 5.0), (144, 5.0)])
    def test_so_do_most_of_the_same_events_if_they_are_a_hundred(
        self, owner, owner_api, stranger, stranger_api, rows, spent
    ):
        """Who guesses one event, or some, learns nothing; who has more learns no number of shared events."""
        released(owner, b"".join(TEN_MINUTES))
        services.delete_account(user=owner)
        guess = import_dataset(owner=stranger, upload=upload(b"".join(TEN_MINUTES[: rows + 1]), "part.csv"))
        assert ledger.spent(guess)["per_km"] == spent
        shown = stranger_api.get(f"/api/v1/datasets/{guess.pk}/lineage/").json()
        assert [(one["shared_events"], one["share"], one["how"]) for one in shown["others"]] == (
            [(None, None, "whole")] if rows == 100 else []  # 144 are the same bytes
        )

    def test_what_was_taken_over_shows_a_guess_nothing(self, owner, stranger):
        released(owner, b"".join(TEN_MINUTES))
        services.delete_account(user=owner)
        import_dataset(owner=stranger, upload=upload(b"".join(TEN_MINUTES[:120]), "part.csv"))
        guess = import_dataset(owner=stranger, upload=upload(TEN_MINUTES[0] + TEN_MINUTES[140], "guess.csv"))
        assert ledger.spent(guess)["per_km"] == 0.0
        assert Lineage.objects.filter(owner=stranger).count() == 2

    def test_a_limit_stays(self, owner, stranger):
        release = released(owner)
        set_budget(dataset=release.dataset, epsilon=1.5, radius_m=200.0)
        services.delete_account(user=owner)
        again = import_dataset(owner=stranger, upload=upload(DAY))
        with pytest.raises(ledger.BudgetExceeded):
            drawn(stranger, again)

    def test_one_account_takes_them_over_and_leaves_them_again(self, owner, stranger):
        before = ledger.spent(released(owner).dataset)
        services.delete_account(user=owner)
        again = import_dataset(owner=stranger, upload=upload(DAY, "other name.csv"))
        assert ledger.spent(again) == before == {"per_km": 5.0, "releases": 1, "events": 24}
        assert Lineage.objects.get().owner == stranger
        third, fourth = (User.objects.create_user(name) for name in ("third", "fourth"))
        assert ledger.spent(import_dataset(owner=third, upload=upload(DAY)))["releases"] == 0
        services.delete_account(user=stranger)
        assert ledger.spent(import_dataset(owner=fourth, upload=upload(DAY)))["releases"] == 1

    def test_a_file_that_both_had_counts_in_the_lineage_that_is_taken_over(self, owner, stranger):
        """Two files of one lineage of the deleted account, of which the other account has one already."""
        part = b"".join(DAY.splitlines(keepends=True)[:-3])
        released(owner)
        released(owner, part, "part.csv")
        has = import_dataset(owner=stranger, upload=upload(DAY))
        services.delete_account(user=owner)
        again = import_dataset(owner=stranger, upload=upload(part))
        assert ledger.spent(again) == {"per_km": 10.0, "releases": 2, "events": 21}
        assert ledger.spent(has) == {"per_km": 10.0, "releases": 2, "events": 24}

    def test_what_spent_nothing_and_samples_leave_none(self, owner):
        import_dataset(owner=owner, upload=upload(DAY))
        released(owner, DAY.replace(b"13.4", b"14.5"), "sample.csv", sample=True)
        assert Lineage.objects.count() == 2
        services.delete_account(user=owner)
        assert not Lineage.objects.exists()
        assert not SourceFile.objects.exists()

    def test_name_no_user(self, owner):
        released(owner)
        pk = str(owner.pk)
        services.delete_account(user=owner)
        for row in (SourceFile.objects.get(), Lineage.objects.get(), BudgetEntry.objects.get()):
            texts = [str(value) for value in vars(row).values()]
            assert pk not in texts
            assert not any("owner" in text or "day" in text for text in texts)
