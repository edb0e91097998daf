"""Sessions: what their users see of them, and how they end."""

from datetime import timedelta
from unittest.mock import Mock

from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from dashboard.accounts.browsers import browser_name
from dashboard.accounts.models import User, UserSession
from tests.dashboard.test_passwords import FORM, is_in, logged_in, with_password

API = "/api/v1/sessions/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)"


def test_the_name_of_a_browser():
    phone = f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) {APPLE} CriOS/120.0 Safari/604.1"
    mac = f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {APPLE} Version/17.4 Safari/605.1.15"
    edge = f"Mozilla/5.0 (Windows NT 10.0) {APPLE} Chrome/120.0 Safari/537.36 Edg/120.0"
    android = f"Mozilla/5.0 (Linux; Android 14) {APPLE} Chrome/120.0 Mobile Safari/537.36"
    names = {FIREFOX: "Firefox 128 on Linux", mac: "Safari 17 on macOS", phone: "Chrome 120 on iPhone"}
    names |= {edge: "Edge 120 on Windows", android: "Chrome 120 on Android", "curl/8.5.0": "curl 8"}
    names |= {"<script>alert(1)</script>": "", "": ""}
    assert {agent: browser_name(agent) for agent in names} == names


class TestRecord:
    def test_has_user_browser_and_address_and_its_last_use_once_a_minute(self, owner):
        with_password(owner)
        client = Client(headers={"User-Agent": "curl/8.5.0"}, REMOTE_ADDR="192.0.2.7")
        client.post("/login/", {"username": "owner", "password": FORM["old_password"]})
        rows = UserSession.objects.all()
        assert (rows.get().user, rows.get().browser, rows.get().address) == (owner, "curl 8", "192.0.2.7")
        fresh = rows.get().last_used_at
        client.get("/account/")
        assert rows.get().last_used_at == fresh
        rows.update(last_used_at=fresh - timedelta(minutes=2))
        client.get("/account/", headers={"User-Agent": FIREFOX}, REMOTE_ADDR="2001:db8::7")
        row = rows.get()
        assert row.last_used_at >= fresh
        assert (row.browser, row.address) == ("Firefox 128 on Linux", "2001:db8::/64")

    def test_a_database_that_is_busy_does_not_fail_the_request(self, owner, monkeypatch):
        client = logged_in(owner)
        UserSession.objects.update(last_used_at=timezone.now() - timedelta(minutes=2))
        busy = Mock(side_effect=DatabaseError("database is locked"))
        monkeypatch.setattr(type(UserSession.objects.all()), "update", busy)
        assert client.get("/account/").status_code == 200

    def test_what_a_request_stores_keeps_id_and_time_of_the_login(self, owner):
        client = logged_in(owner)
        before = UserSession.objects.get()
        session = client.session
        session["more"] = 1
        session.save()
        after = UserSession.objects.get()
        assert (after.id, after.created_at, after.user) == (before.id, before.created_at, owner)
        assert client.session["more"] == 1


class TestPage:
    def test_lists_the_users_own_and_marks_this_one(self, owner, stranger):
        here, _, other = logged_in(owner), logged_in(owner), logged_in(stranger)
        page = here.get("/account/")
        text = page.content.decode()
        assert text.count("this session") == 1
        assert text.count('<input type="hidden" name="session"') == 1
        assert str(UserSession.objects.get(user=stranger).id) not in text
        for row in UserSession.objects.all():  # the key is the cookie: in no page
            assert row.session_key not in text
        assert "End all other sessions" not in other.get("/account/").content.decode()

    def test_ends_one(self, owner):
        here, there = logged_in(owner), logged_in(owner)
        pk = UserSession.objects.get(session_key=there.session.session_key).id
        assert here.post("/account/sessions/end/", {"session": str(pk)})["Location"] == "/account/"
        assert (is_in(here), is_in(there)) == (True, False)
        answer = here.post("/account/sessions/end/", {"session": str(pk)}, follow=True)
        assert "had ended already" in answer.content.decode()

    def test_ends_all_others(self, owner, stranger):
        here, there, other = logged_in(owner), logged_in(owner), logged_in(stranger)
        answer = here.post("/account/sessions/end/", follow=True)
        assert "1 other session ended." in answer.content.decode()
        assert (is_in(here), is_in(there), is_in(other)) == (True, False, True)

    def test_ends_none_for_an_id_that_is_none(self, owner):
        here, there = logged_in(owner), logged_in(owner)
        for text in ("x", "f2cb28ee-9bca-4683-bcc4-24e6bfab3db5"):
            assert here.post("/account/sessions/end/", {"session": text}).status_code == 302
        assert (is_in(here), is_in(there)) == (True, True)

    def test_ends_none_of_another_user(self, owner, stranger):
        here, other = logged_in(owner), logged_in(stranger)
        here.post("/account/sessions/end/", {"session": str(UserSession.objects.get(user=stranger).id)})
        assert is_in(other)


class TestApi:
    def test_lists_the_users_own(self, owner, stranger):
        here, there, _ = logged_in(owner), logged_in(owner), logged_in(stranger)
        answer = here.get(API).json()
        assert answer["count"] == 2
        by_id = {row["id"]: row["current"] for row in answer["results"]}
        ids = [str(UserSession.objects.get(session_key=one.session.session_key).id) for one in (here, there)]
        assert by_id == {ids[0]: True, ids[1]: False}
        assert here.session.session_key not in str(answer)
        there_row = UserSession.objects.filter(session_key=there.session.session_key)
        there_row.update(expire_date=timezone.now())
        assert [row["id"] for row in here.get(API).json()["results"]] == ids[:1], "without those that expired"

    def test_ends_one_and_none_of_another_user(self, owner, owner_api, stranger):
        mine, other = logged_in(owner), logged_in(stranger)
        of = {row.user: str(row.id) for row in UserSession.objects.all()}
        assert owner_api.delete(f"{API}{of[stranger]}/").status_code == 404
        assert owner_api.delete(f"{API}{of[owner]}/").status_code == 204
        assert (is_in(mine), is_in(other)) == (False, True)


def test_end_with_the_account(owner, stranger):
    clients = [logged_in(owner), logged_in(stranger)]
    assert [is_in(one) for one in clients] == [True, True]
    owner.delete()
    User.objects.filter(pk=stranger.pk).update(is_active=False)
    assert {one.get("/tokens/")["Location"][:7] for one in clients} == {"/login/"}
