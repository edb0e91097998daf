"""Attempts to log in are limited; reads of originals and downloads are recorded: who, what, when, by which means."""

from contextlib import suppress
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import DatabaseError, IntegrityError, OperationalError, connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from rest_framework.exceptions import Throttled
from rest_framework.settings import api_settings
from rest_framework.test import APIClient

from dashboard.accounts import access_trail, attempts, services
from dashboard.accounts.models import AccessEntry, AttemptCount, UserSession
from dashboard.publications.services import publish_release
from tests.dashboard.conftest import at_once
from tests.dashboard.test_passwords import logged_in

API = "/api/v1/access/"
ORIGINALS = {
    *(f"dataset-{what}" for what in ("preview", "track", "tracks", "steps", "counts", "heat-map", "cells", "places")),
    *("dataset-stay-counts", "dataset-home"),
    *(f"release-{what}" for what in ("series", "errors", "comparison", "grouping", "counts", "detection", "cells")),
    *("release-recommend-reference", "release-true-densities", "release-histories"),
}
DOWNLOADS = {
    *("release-data", "release-notebook", "bundle", "release-bundle", "experiment-table", "attack-data", "audit-data"),
    *("stream-data", "accountexport-data"),
}


def recorded_routes(patterns=None):
    found = {}
    for one in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(one, URLResolver):
            found |= recorded_routes(one.url_patterns)
        elif isinstance(one, URLPattern) and hasattr(one.callback, "cls"):
            kwargs = getattr(one.callback, "initkwargs", {})
            if what := kwargs.get("records", getattr(one.callback.cls, "records", "")):
                found[str(one.name)] = what
    return found


def track(client, dataset, **query):
    return client.get(f"/api/v1/datasets/{dataset.pk}/track/", {"series": 0, **query})


class TestWhatIsRecorded:
    def test_is_stated_by_the_views(self):
        found = recorded_routes()
        assert {name for name, what in found.items() if what == "original"} == ORIGINALS
        assert {name for name, what in found.items() if what == "download"} == DOWNLOADS

    def test_a_read_of_an_original_by_a_session(self, owner, ready_dataset):
        client = logged_in(owner)
        assert track(client, ready_dataset).status_code == 200
        row = AccessEntry.objects.get()
        assert (row.owner, row.user, row.user_name) == (owner, owner, "owner")
        assert (row.access, row.operation) == ("original", "dataset-track")
        assert (row.subject, row.subject_id, row.subject_name) == ("dataset", ready_dataset.pk, "A day in Paris")
        session = UserSession.objects.get()
        assert (row.means, row.means_id) == ("session", str(session.id))
        assert session.session_key not in [str(value) for value in vars(row).values()]
        assert timezone.now() - row.created_at < timedelta(minutes=1)

    def test_a_download_by_a_token(self, owner, done):
        token, text = services.make_token(user=owner, name="nightly")
        api = APIClient(headers={"Authorization": f"Token {text}"})
        for _ in range(2):
            api.get(f"/api/v1/releases/{done.pk}/data/").getvalue()
        first, second = AccessEntry.objects.all()  # each download is one
        api.get("/api/v1/releases/bundle/", {"release": done.pk}).getvalue()
        assert AccessEntry.objects.filter(operation="bundle", subject_id=done.pk).count() == 1
        assert (first.access, first.operation, first.subject_id) == ("download", "release-data", done.pk)
        assert (second.means, second.means_id, second.means_name) == ("token", token.token_key, "nightly")
        assert text not in [str(value) for value in vars(first).values()]

    def test_downloads_of_a_public_link_without_anything_about_the_reader(self, owner, done):
        link = publish_release(release=done, title="A walk")
        for path in ("", "data/", "label/", "track/"):
            Client(REMOTE_ADDR="192.0.2.7").get(f"{link.path}{path}").getvalue()
        rows = AccessEntry.objects.order_by("pk")
        assert [one.operation for one in rows] == ["publications:data", "publications:label"]
        assert {(one.owner, one.user, one.user_name, one.means, one.means_name) for one in rows} == {
            (owner, None, "", "link", "")
        }
        assert "192.0.2.7" not in str([vars(one) for one in rows])

    def test_repeated_reads_within_ten_minutes_once_for_each_reader_and_operation(
        self, owner, ready_dataset, monkeypatch
    ):
        client, other = logged_in(owner), logged_in(owner)
        for _ in range(5):
            track(client, ready_dataset)
        assert AccessEntry.objects.count() == 1
        track(other, ready_dataset)
        client.get(f"/api/v1/datasets/{ready_dataset.pk}/steps/")
        assert AccessEntry.objects.count() == 3
        monkeypatch.setattr(access_trail, "REPEAT_S", 0.0)
        track(client, ready_dataset)
        assert AccessEntry.objects.count() == 4

    def test_what_was_refused_is_not(self, owner, stranger, done, ready_dataset):
        assert track(logged_in(stranger), ready_dataset).status_code == 404
        assert track(logged_in(owner), ready_dataset, series=99).status_code == 400
        assert Client().get(f"/api/v1/releases/{done.pk}/data/").status_code == 401
        assert logged_in(owner).get(f"/api/v1/releases/{done.pk}/data/", {"format": "x"}).status_code == 400
        assert not AccessEntry.objects.exists()


def test_a_read_costs_one_insert_and_a_repeated_one_nothing(owner, ready_dataset):
    client = logged_in(owner)
    tag = track(client, ready_dataset)["ETag"]
    with CaptureQueriesContext(connection) as repeated:
        track(client, ready_dataset)
    access_trail.forget_in_memory()
    with CaptureQueriesContext(connection) as recorded:
        track(client, ready_dataset)
    more = [one["sql"] for one in recorded.captured_queries if "accounts_accessentry" in one["sql"]]
    assert [sql[:6] for sql in more] == ["INSERT"]
    assert not any("accounts_accessentry" in one["sql"] for one in repeated.captured_queries)
    access_trail.forget_in_memory()
    url = f"/api/v1/datasets/{ready_dataset.pk}/track/"
    assert client.get(url, {"series": 0}, headers={"If-None-Match": tag}).status_code == 304
    assert AccessEntry.objects.count() == 2, "what the browser had already is not recorded"


class TestBusyDatabase:
    @pytest.fixture
    def busy(self, monkeypatch):
        """The trail cannot be written until the fixture's value is called."""
        locked = Mock(side_effect=OperationalError("database is locked"))
        monkeypatch.setattr(type(AccessEntry.objects.all()), "bulk_create", locked)
        return monkeypatch.undo

    def test_fails_no_read_and_the_entry_follows_with_its_time(self, owner, done, busy, caplog):
        client, before = logged_in(owner), timezone.now()
        assert client.get(f"/api/v1/releases/{done.pk}/data/").getvalue()
        between = timezone.now()
        assert not AccessEntry.objects.exists()
        assert f"release-data of release {done.pk}" in caplog.text
        assert "A day in Paris" not in caplog.text
        busy()
        client.get(f"/api/v1/releases/{done.pk}/data/").getvalue()
        first, second = AccessEntry.objects.order_by("pk")
        assert before <= first.created_at <= between <= second.created_at

    def test_memory_is_bounded(self, owner, busy):
        one = AccessEntry(owner=owner, access="download", subject_id=owner.pk)
        access_trail.write([one] * (access_trail.MOST + 5))
        assert len(access_trail._waiting) == access_trail.MOST

    def test_an_account_that_is_gone_does_not_hold_up_the_others(self, owner, stranger, monkeypatch, caplog):
        refused = Mock(side_effect=IntegrityError("FOREIGN KEY constraint failed"))
        monkeypatch.setattr(type(AccessEntry.objects.all()), "bulk_create", refused)
        save = AccessEntry.save

        def save_or_refuse(self, *args, **kwargs):
            if self.owner_id == stranger.pk:
                raise DatabaseError("FOREIGN KEY constraint failed")
            save(self, *args, **kwargs)

        monkeypatch.setattr(AccessEntry, "save", save_or_refuse)
        rows = [AccessEntry(owner=user, access="download", subject_id=user.pk) for user in (stranger, owner)]
        access_trail.write(rows)
        assert [one.owner for one in AccessEntry.objects.all()] == [owner]
        assert "access is not recorded" in caplog.text


class TestAppendOnly:
    @pytest.fixture
    def entry(self, owner):
        return AccessEntry.objects.create(owner=owner, access="download", subject_id=owner.pk)

    def test_entries_are_neither_changed_nor_deleted(self, entry):
        entry.user_name = "other"
        for change in (
            entry.save,
            entry.delete,
            AccessEntry.objects.all().delete,
            lambda: AccessEntry.objects.update(user_name="other"),
        ):
            with pytest.raises(TypeError, match="trail of access"):
                change()
        assert AccessEntry.objects.get().user_name == ""

    def test_retention_deletes_them(self, owner, entry, settings):
        settings.CAIRN_TRAIL_DAYS = 30
        old = timezone.now() - timedelta(days=30, seconds=1)
        AccessEntry.objects.create(owner=owner, access="download", subject_id=owner.pk, created_at=old)
        services.forget_expired()
        assert [one.pk for one in AccessEntry.objects.all()] == [entry.pk]
        settings.CAIRN_TRAIL_DAYS = 0
        AccessEntry.objects.create(owner=owner, access="download", subject_id=owner.pk, created_at=old)
        services.forget_expired()
        assert AccessEntry.objects.count() == 2

    def test_the_end_of_the_account_deletes_them_and_that_of_a_reader_keeps_the_name(self, owner, stranger):
        AccessEntry.objects.create(
            owner=owner, user=stranger, user_name="stranger", access="download", subject_id=owner.pk
        )
        stranger.delete()
        assert [(one.user, one.user_name) for one in AccessEntry.objects.all()] == [(None, "stranger")]
        owner.delete()
        assert not AccessEntry.objects.exists()


def test_the_api_and_the_page_list_the_owners(owner, owner_api, stranger, ready_dataset, done):
    track(logged_in(owner), ready_dataset)
    logged_in(owner).get(f"/api/v1/releases/{done.pk}/data/").getvalue()
    AccessEntry.objects.create(owner=stranger, access="download", subject_id=done.pk, subject_name="secret")
    answer = owner_api.get(API).json()
    assert [one["operation"] for one in answer["results"]] == ["release-data", "dataset-track"]
    assert [one["access"] for one in owner_api.get(API, {"access": "original"}).json()["results"]] == ["original"]
    assert owner_api.get(API, {"subject_id": done.pk}).json()["count"] == 1
    assert {owner_api.delete(API).status_code, owner_api.post(API).status_code} == {405}
    page = logged_in(owner).get("/account/access/").content.decode()
    assert "secret" not in page
    for text in ("A day in Paris", "dataset-track", "deleted after 365 days"):
        assert text in page


PASSWORD = "a long enough phrase"
JSON = {"HTTP_ACCEPT": "application/json"}
DATASETS = "/api/v1/datasets/"


@pytest.fixture
def few(monkeypatch, owner):
    """Limits that a test reaches soon; scrypt takes .1 s."""
    monkeypatch.setattr(attempts, "BY_NAME", 3)
    monkeypatch.setattr(attempts, "BY_ADDRESS", 5)
    owner.set_password(PASSWORD)
    owner.save()


def try_login(name, password="guess", address="192.0.2.1", **more):
    form = {"username": name, "password": password}
    return Client().post("/login/", form, REMOTE_ADDR=address, **more)


@pytest.mark.usefixtures("few")
class TestLogin:
    @pytest.mark.parametrize("name", ["owner", "unknown"])
    def test_is_refused_for_the_name_from_any_address_also_with_the_password(self, name):
        assert [try_login(name, address=f"192.0.2.{i}").status_code for i in range(3)] == [200] * 3
        answer = try_login(name, PASSWORD, address="192.0.2.9")
        assert answer.status_code == 429
        assert 880 < int(answer["Retry-After"]) <= 900
        assert b"Too many failed attempts" in answer.content
        assert b"Try again in 15 minutes, after " in answer.content
        assert not answer.wsgi_request.user.is_authenticated
        assert try_login("stranger", address="192.0.2.9").status_code == 200  # the others are not concerned

    def test_differs_in_nothing_between_names_that_are_there_and_not(self):
        def bodies(name):
            found = [try_login(name, address="192.0.2.7").content for _ in range(5)]
            return [body.replace(name.encode(), b"NAME") for body in found]

        def plain(body):
            return b"\n".join(line for line in body.splitlines() if b"csrfmiddlewaretoken" not in line)

        first = [plain(body) for body in bodies("owner")]
        AttemptCount.objects.all().delete()
        assert [plain(body) for body in bodies("unknown")] == first

    def test_checks_no_password_while_it_is_refused(self, monkeypatch):
        for _ in range(3):
            try_login("owner")
        monkeypatch.setattr("django.contrib.auth.forms.authenticate", lambda *_, **__: pytest.fail("checked"))
        assert try_login("owner", PASSWORD).status_code == 429
        answer = try_login("owner", PASSWORD, **JSON)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (429, "throttled")
        assert answer["Retry-After"]

    def test_is_refused_for_the_address_whatever_the_name(self):
        assert [try_login(f"name {i}").status_code for i in range(6)] == [200] * 5 + [429]
        assert try_login("owner", PASSWORD).status_code == 429
        assert try_login("owner", PASSWORD, address="192.0.2.2").status_code == 302

    def test_is_taken_again_after_the_period(self):
        assert [try_login("owner").status_code for _ in range(4)][-1] == 429
        AttemptCount.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
        assert try_login("owner", PASSWORD).status_code == 302

    def test_that_succeeds_starts_afresh_and_does_not_count(self):
        for _ in range(8):
            assert try_login("owner").status_code == 200
            assert try_login("owner", PASSWORD).status_code == 302
            AttemptCount.objects.filter(attempts__gt=0).update(attempts=0)
        assert [try_login("owner").status_code for _ in range(4)] == [200] * 3 + [429]

    def test_many_good_ones_from_one_address_are_taken(self):
        assert [try_login("owner", PASSWORD).status_code for _ in range(7)] == [302] * 7

    def test_other_forms_of_a_name_are_one_name(self):
        for name in ("owner", " owner", "\uff4fwner"):
            try_login(name)
        assert try_login("owner").status_code == 429

    def test_stores_neither_name_nor_address_and_nothing_after_the_period(self):
        try_login("owner")
        rows = [str(value) for row in AttemptCount.objects.all() for value in vars(row).values()]
        assert not any("owner" in value or "192.0.2" in value for value in rows)
        services.forget_expired()
        assert AttemptCount.objects.count() == 2
        AttemptCount.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
        services.forget_expired()
        assert not AttemptCount.objects.exists()

    @pytest.mark.django_db(transaction=True)
    def test_of_sixteen_at_once_as_many_as_the_limit_are_taken(self):
        def attempt(_):
            with suppress(Throttled):
                attempts.count_attempt("name", "owner", 3)
                return True
            return False

        assert sum(at_once(16, attempt)) == 3


@pytest.mark.usefixtures("few")
class TestAddress:
    def test_is_the_last_that_no_trusted_proxy_has(self, monkeypatch):
        for proxies, forwarded, expected in [
            (0, "203.0.113.5", "192.0.2.1"),
            (1, "203.0.113.5", "203.0.113.5"),
            (1, "198.51.100.9, 203.0.113.5", "203.0.113.5"),  # the first is the client's own claim
            (2, "198.51.100.9, 203.0.113.5, 10.0.0.1", "203.0.113.5"),
            (1, None, "192.0.2.1"),
            (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            (1, "::ffff:203.0.113.5", "203.0.113.5"),
            (1, "no address", "no address"),
        ]:
            monkeypatch.setattr(api_settings, "NUM_PROXIES", proxies)
            more = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
            request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", **more)
            assert attempts.client_address(request) == expected, (proxies, forwarded, expected)


@pytest.mark.usefixtures("few")
class TestSecrets:
    def test_unknown_links_are_refused_with_the_time_and_good_ones_are_not(self, owner):
        assert [Client().get("/login/once/guess/").status_code for _ in range(6)] == [410] * 5 + [429]
        answer = Client().get("/login/once/guess/")
        assert int(answer["Retry-After"]) > 0
        assert b"Try again in 15 minutes" in answer.content
        assert Client().get(services.make_login_link(user=owner)).status_code == 302

    def test_unknown_tokens_are_refused_with_the_time_and_good_ones_are_not(self, owner):
        bad = APIClient(headers={"Authorization": "Token guess"})
        assert [bad.get(DATASETS).status_code for _ in range(6)] == [401] * 5 + [429]
        answer = bad.get(DATASETS)
        assert answer["Content-Type"] == "application/problem+json"
        assert (answer.json()["errors"][0]["code"], int(answer["Retry-After"]) > 0) == ("throttled", True)
        _, token = services.make_token(user=owner)
        assert APIClient(headers={"Authorization": f"Token {token}"}).get(DATASETS).status_code == 200
        assert APIClient().get(DATASETS).status_code == 401  # without any token nothing is counted
