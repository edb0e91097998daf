"""Limits of failed attempts to log in, by name and by address, and of unknown links and tokens."""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone
from rest_framework.exceptions import Throttled
from rest_framework.settings import api_settings
from rest_framework.test import APIClient

from dashboard.accounts import attempts, services
from dashboard.accounts.models import AttemptCount
from tests.dashboard.conftest import at_once

PASSWORD = "a long enough phrase"
JSON = {"HTTP_ACCEPT": "application/json"}
API = "/api/v1/datasets/"


@pytest.fixture(autouse=True)
def few(monkeypatch, owner):
    """Limits that a test reaches soon; scrypt takes .1 s."""
    monkeypatch.setattr(attempts, "BY_NAME", 3)
    monkeypatch.setattr(attempts, "BY_ADDRESS", 5)
    owner.set_password(PASSWORD)
    owner.save()


def try_login(name, password="guess", address="192.0.2.1", **more):
    form = {"username": name, "password": password}
    return Client().post("/login/", form, REMOTE_ADDR=address, **more)


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


class TestSecrets:
    def test_unknown_links_are_refused_with_the_time_and_good_ones_are_not(self, owner):
        assert [Client().get("/login/once/guess/").status_code for _ in range(6)] == [410] * 5 + [429]
        answer = Client().get("/login/once/guess/")
        assert int(answer["Retry-After"]) > 0
        assert b"Try again in 15 minutes" in answer.content
        assert Client().get(services.make_login_link(user=owner)).status_code == 302

    def test_unknown_tokens_are_refused_with_the_time_and_good_ones_are_not(self, owner):
        bad = APIClient(headers={"Authorization": "Token guess"})
        assert [bad.get(API).status_code for _ in range(6)] == [401] * 5 + [429]
        answer = bad.get(API)
        assert answer["Content-Type"] == "application/problem+json"
        assert (answer.json()["errors"][0]["code"], int(answer["Retry-After"]) > 0) == ("throttled", True)
        _, token = services.make_token(user=owner)
        assert APIClient(headers={"Authorization": f"Token {token}"}).get(API).status_code == 200
        assert APIClient().get(API).status_code == 401  # without any token nothing is counted
