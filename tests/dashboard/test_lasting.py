"""Streams and downloads end with the session, the token, the user, the role or the link that permitted them."""

from contextlib import ExitStack
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.http import FileResponse
from django.test import Client
from django.utils import timezone

from dashboard.account_data.models import AccountExport
from dashboard.accounts import lasting, services
from dashboard.accounts.models import ApiToken, User, UserSession
from dashboard.jobs.models import State
from dashboard.projects.models import Membership
from dashboard.projects.services import move_row
from dashboard.publications.models import Publication
from dashboard.publications.services import publish_release
from tests.dashboard import kinds
from tests.dashboard.test_passwords import FORM, logged_in, with_password

MEGABYTE = bytes(1_000_000)


@pytest.fixture
def stream(owner):
    return kinds.live_stream(owner)


@pytest.fixture
def export(owner):
    row = AccountExport.objects.create(
        owner=owner, state=State.DONE, finished_at=timezone.now(), size_bytes=len(MEGABYTE), sha256="0" * 64
    )
    with row.path.written() as file:
        file.write(MEGABYTE)
    return row


def end_from_another(here, other):
    row = UserSession.objects.get(session_key=here.session.session_key)
    other.post("/account/sessions/end/", {"session": str(row.id)})


def expire(here, other):
    before = timezone.now() - timedelta(seconds=1)
    UserSession.objects.update(expire_date=before)
    ApiToken.objects.update(expiry=before)


ENDS = {
    "logout": lambda here, other: here.post("/logout/"),
    "one from another": end_from_another,
    "all others": lambda here, other: other.post("/account/sessions/end/"),
    "revoked": lambda here, other: other.post(f"/tokens/{ApiToken.objects.get().token_key}/revoke/"),
    "password": lambda here, other: other.post("/password/", FORM),
    "expired": expire,
    "inactive": lambda here, other: User.objects.update(is_active=False),
}
CASES = [("session", end) for end in ENDS if end != "revoked"]
CASES += [("token", end) for end in ("revoked", "password", "expired", "inactive")]


@pytest.fixture
def browsers(owner):
    """A client that a session or a token authenticates, and another session of the owner."""

    def make(by):
        with_password(owner)
        if by == "session":
            return logged_in(owner), logged_in(owner)
        _, text = services.make_token(user=owner)
        return Client(headers={"Authorization": f"Token {text}"}), logged_in(owner)

    return make


def guards():
    return list(lasting.watcher._guards)


@pytest.fixture
def begun(db):
    """A download of which one block was sent, and its guard."""
    with ExitStack() as stack:

        def begin(here, path):
            before = guards()
            answer = here.get(path)
            stack.callback(answer.close)
            assert answer.status_code == 200
            (guard,) = [one for one in guards() if one not in before]
            content = iter(answer.streaming_content)
            assert next(content)
            guard.look()
            assert not guard.ended
            return content, guard

        yield begin


@pytest.mark.parametrize(("by", "end"), CASES)
def test_ends_at_the_next_look(stream, export, browsers, begun, by, end):
    here, other = browsers(by)
    paths = f"/api/v1/streams/{stream.pk}/live/", f"/api/v1/account-exports/{export.pk}/data/"
    found = [begun(here, path) for path in paths]
    ENDS[end](here, other)
    assert [here.get(path).status_code for path in paths] == [401, 401]
    for rest, guard in found:
        guard.look()
        with pytest.raises(lasting.Ended):
            list(rest)


class TestDownload:
    def test_is_whole_where_nothing_ends(self, export, browsers):
        here, _ = browsers("session")
        answer = here.get(f"/api/v1/account-exports/{export.pk}/data/")
        assert answer["Content-Length"] == "1000000"
        before = guards()
        assert answer.getvalue() == MEGABYTE
        answer.close()
        assert len(guards()) == len(before) - 1

    def test_a_web_server_that_sends_the_file_itself_cannot_go_on(self, export, browsers):
        here, _ = browsers("session")
        request = here.get("/account/").wsgi_request
        answer = FileResponse(export.path.open())
        lasting.guard(request, answer)
        file = answer.file_to_stream
        assert not hasattr(file, "fileno")
        assert (file.seekable(), file.tell(), len(file.read(7))) == (True, 0, 7)
        here.post("/logout/")
        for guard in guards():
            guard.look()
        with pytest.raises(lasting.Ended):
            file.read(7)
        answer.close()

    def test_ends_with_the_role_in_the_project_and_the_public_link(self, begun, shared_dataset, stream, done, member):
        move_row(user=stream.owner, row=stream, project=shared_dataset.project_id)
        of_viewer = f"releases/{done.pk}/data/?format=csv", f"streams/{stream.pk}/live/"
        viewer = logged_in(member("viewer"))
        by_role = [begun(viewer, f"/api/v1/{path}")[1] for path in of_viewer]
        publish_release(release=done, title="A walk")
        row = Publication.objects.get()
        _, by_link = begun(Client(), f"{row.path}label/")
        Membership.objects.filter(user__username="viewer").delete()
        row.delete()
        for guard in (*by_role, by_link):
            guard.look()
            assert guard.ended

    def test_goes_on_where_the_row_is_deleted(self, begun, export, browsers):
        here, _ = browsers("session")
        content, guard = begun(here, f"/api/v1/account-exports/{export.pk}/data/")
        export.delete()
        guard.look()
        assert sum(map(len, content)) > 0

    def test_a_database_that_is_away_ends_none(self, begun, export, browsers, monkeypatch, caplog):
        here, _ = browsers("session")
        content, guard = begun(here, f"/api/v1/account-exports/{export.pk}/data/")
        monkeypatch.setattr(guard, "look", Mock(side_effect=OperationalError("gone")))
        monkeypatch.setattr(lasting.connections, "close_all", lambda: None)  # it is the test's own here
        lasting.watcher._look([guard])
        assert "not looked after (OperationalError)" in caplog.text
        assert list(content)
