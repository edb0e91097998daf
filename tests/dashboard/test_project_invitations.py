"""Invitations to projects by a link: who makes, uses and revokes them, how they end, and what strangers learn."""

import re
from contextlib import suppress
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dashboard.accounts import attempts, invitations
from dashboard.accounts.models import AccessEntry, Invitation, User
from dashboard.datasets.models import Dataset
from dashboard.projects import services
from dashboard.projects.models import GIVEN, Membership, Role
from tests.dashboard.api_helpers import refused
from tests.dashboard.conftest import at_once, client_of
from tests.dashboard.project_helpers import url
from tests.dashboard.test_passwords import NEW, OLD, is_in, logged_in, with_password

NEWCOMER = {"username": "newcomer", "password1": NEW, "password2": NEW}
HOST = "http://testserver"
NUMBERS = st.integers(-5, 40) | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
DAYS = NUMBERS | NUMBERS.map(str) | st.text(max_size=4) | st.none() | st.booleans()


@pytest.fixture
def link(project):
    return services.invite(project=project, role=Role.EDITOR)[1]


def token_of(path):
    return path.split("/")[-2]


def role_in(project, name):
    return Membership.objects.filter(project=project, user__username=name).values_list("role", flat=True).first()


class TestMaking:
    def test_by_the_api_is_shown_once_listed_and_revoked(self, lead, project):
        api, address = client_of(lead), url(project, "invitations/")
        made = api.post(address, {"role": "viewer"})
        assert made.status_code == 201, made.content
        row, path = Invitation.objects.get(), made.json()["url"].removeprefix(HOST)
        assert made["Location"] == made.json()["urls"]["self"] == f"/api/v1/project-invitations/{row.pk}/"
        assert len(token_of(path)) >= 43
        assert token_of(path) not in [str(value) for value in vars(row).values()]
        assert timedelta(days=6, hours=23) < row.expires_at - row.created_at <= timedelta(days=7)
        assert (row.role, row.invited_by, row.project) == ("viewer", lead, project)
        assert api.get(address).json() == [made.json() | {"url": None}] == [api.get(made["Location"]).json()]
        assert api.get(url(project)).json()["urls"]["invitations"] == address
        assert Client().get(path).status_code == 200
        assert api.delete(made["Location"]).status_code == 204
        assert (api.get(address).json(), Client().get(path).status_code) == ([], 410)

    @given(role=st.sampled_from([*Role.values, "", "Viewer"]) | st.text(max_size=12), days=DAYS)
    @example(role="viewer", days=1)
    @example(role="editor", days=30)
    @example(role="editor", days=31)
    @example(role="viewer", days=0)
    @example(role="owner", days=7)
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_gives_the_roles_of_members_for_at_most_30_days(self, project, role, days):
        with transaction.atomic():
            answer = client_of(project.owner).post(url(project, "invitations/"), {"role": role, "days": days})
            text = "" if isinstance(days, bool | None) else str(days)
            whole = re.fullmatch(r"\s*-?\d+(\.0*)?\s*", text)
            good = role in GIVEN and whole and 1 <= int(float(days)) <= services.MOST_DAYS
            assert answer.status_code == (201 if good else 400), answer.content
            for row in Invitation.objects.filter(project=project):
                assert row.expires_at - timezone.now() <= timedelta(days=int(float(days)))
            transaction.set_rollback(True)

    def test_by_the_page_of_an_account_without_a_password(self, lead, project, settings):
        assert not lead.has_usable_password()
        page = logged_in(lead)
        assert "Invite by link" in page.get(project.page_url).content.decode()
        answer = page.post(f"{project.page_url}invite/", {"role": "editor", "days": "1"})
        (path,) = re.findall(rf'value="{HOST}(/projects/join/[^"]+/)"', answer.content.decode())
        assert "no-store" in answer["Cache-Control"]
        assert Client().get(path).status_code == 200
        again = page.get(f"{project.page_url}invite/")
        assert again["Location"] == project.page_url
        shown = page.get(project.page_url).content.decode()
        assert (path in shown, "Editor <span" in shown, "manage.py invite" in shown) == (False, True, True)
        settings.CAIRN_USERS_INVITE = True
        assert "makes one with it" in page.get(project.page_url).content.decode()

    @pytest.mark.parametrize(
        ("sent", "text"),
        [
            ({"role": "owner", "days": "7"}, "Role must be one of viewer, editor, got &#x27;owner&#x27;."),
            ({"role": "viewer", "days": "400"}, "Valid for must be 1 to 30 days, got 0."),
            ({"role": "viewer"}, "Valid for must be"),
        ],
    )
    def test_errors_name_what_the_page_shows(self, lead, project, sent, text):
        answer = logged_in(lead).post(f"{project.page_url}invite/", sent)
        assert (answer.status_code, text in answer.content.decode()) == (400, True), answer.content.decode()
        assert not Invitation.objects.exists()

    def test_a_project_has_a_limit_of_open_ones(self, lead, project, monkeypatch):
        monkeypatch.setattr(invitations, "MOST_OPEN", 2)
        other = services.create_project(owner=lead, name="Other")
        made = [client_of(lead).post(url(project, "invitations/"), {"role": "viewer"}) for _ in range(3)]
        assert [one.status_code for one in made] == [201, 201, 409]
        assert client_of(lead).post(url(other, "invitations/"), {"role": "viewer"}).status_code == 201
        assert invitations.make_invitation(invited_by=lead)
        page = logged_in(lead).post(f"{project.page_url}invite/", {"role": "viewer", "days": "7"})
        assert "2 of your invitations are not used yet; revoke one." in page.content.decode()

    def test_is_the_owners_alone(self, project, member, stranger, link):
        row = Invitation.objects.get()
        for user, status in ((member("viewer"), 403), (member("editor"), 403), (stranger, 404)):
            page = logged_in(user)
            assert page.post(f"{project.page_url}invite/", {"role": "viewer", "days": "7"}).status_code == status
            assert page.post(f"/project-invitations/{row.pk}/revoke/").status_code == status
            assert "Invite by link" not in page.get(project.page_url).content.decode()
        assert Invitation.objects.get() == row
        page = logged_in(project.owner)
        assert page.post(f"/project-invitations/{row.pk}/revoke/")["Location"] == project.page_url
        assert not Invitation.objects.exists()


class TestJoining:
    def test_by_a_user_names_project_role_and_who_invites(self, project, stranger, link):
        page = logged_in(stranger)
        text = page.get(link).content.decode()
        assert "<strong>lead</strong> invites you to the project <strong>Taxis</strong>" in text
        assert "<strong>an editor</strong>" in text
        assert "The link works once, until" in text
        assert "its members see that name" in text
        assert role_in(project, "stranger") is None, "a browser that only reads does not join"
        assert page.post(link)["Location"] == project.page_url
        assert role_in(project, "stranger") == "editor"
        assert "You are an editor of the project Taxis now." in page.get(project.page_url).content.decode()
        entry = AccessEntry.objects.get(access="joined")
        assert (entry.owner, entry.user, entry.subject_id) == (project.owner, stranger, project.pk)
        assert (entry.means, entry.means_name) == ("invitation", "editor")
        seen = logged_in(project.owner).get("/account/access/").content.decode()
        assert ("joined by an invitation" in seen, "invitation, as editor" in seen) == (True, True)
        assert client_of(project.owner).get("/api/v1/access/?access=joined").json()["count"] == 1

    def test_names_what_is_in_it_to_who_may_join(
        self, shared_dataset, project, owner, stranger, link, make_dataset, paris_day
    ):
        make_dataset(owner, paris_day, name="Elsewhere")
        text = logged_in(stranger).get(link).content.decode()
        assert f"Datasets (1): {shared_dataset.name}" in " ".join(text.split())
        assert "Elsewhere" not in text
        assert shared_dataset.name not in Client().get(link).content.decode(), "who cannot join with it"
        Dataset.objects.update(project=None)
        assert "Nothing is in it yet." in logged_in(stranger).get(link).content.decode()

    def test_after_a_login_that_leads_back(self, project, stranger, link):
        with_password(stranger)
        page = Client()
        text = page.get(link).content.decode()
        assert "contact <strong>lead</strong>" in text
        assert 'name="username"' not in text
        (login,) = re.findall(r'href="(/login/\?next=[^"]+)"', text)
        form = {"username": "stranger", "password": OLD, "next": login.partition("=")[2]}
        assert page.post("/login/", form)["Location"] == link
        assert page.post(link).status_code == 302
        assert role_in(project, "stranger") == "editor"

    def test_makes_an_account_only_where_users_invite(self, project, link, settings):
        assert Client().post(link, NEWCOMER).status_code == 200
        assert not User.objects.filter(username="newcomer").exists()
        settings.CAIRN_USERS_INVITE = True
        taken = Client().post(link, NEWCOMER | {"username": "lead"})
        assert (taken.status_code, "already exists" in taken.content.decode()) == (400, True)
        page = Client()
        assert page.post(link, NEWCOMER)["Location"] == project.page_url
        assert is_in(page)
        assert role_in(project, "newcomer") == "editor"
        assert AccessEntry.objects.get().user_name == "newcomer"
        assert Client().post(link, NEWCOMER | {"username": "second"}).status_code == 410
        assert not User.objects.filter(username="second").exists()

    def test_a_name_that_is_taken_meanwhile_leaves_the_link(self, project, link, stranger):
        with pytest.raises(IntegrityError), transaction.atomic():
            services.join(token_of(link), User(username="stranger"))
        assert Invitation.objects.get().used_at is None

    def test_a_member_or_the_owner_does_not_use_it_up(self, project, owner, link):
        for user, text in ((owner, "as an editor"), (project.owner, "as its owner")):
            for answer in (logged_in(user).get(link), logged_in(user).post(link)):
                assert (answer.status_code, text in answer.content.decode()) == (200, True)
            with pytest.raises(services.Conflict):
                services.join(token_of(link), user)
        assert Invitation.objects.get().used_at is None
        assert not AccessEntry.objects.exists()

    def test_a_full_project_leaves_the_link(self, project, stranger, link, monkeypatch, settings):
        monkeypatch.setattr(services, "MOST_MEMBERS", 1)
        settings.CAIRN_USERS_INVITE = True
        for answer in (logged_in(stranger).post(link), Client().post(link, NEWCOMER)):
            assert (answer.status_code, "at most 1 members" in answer.content.decode()) == (409, True)
            assert "<strong>lead</strong>, who owns the project, can change that" in answer.content.decode()
        assert (Invitation.objects.get().used_at, User.objects.filter(username="newcomer").count()) == (None, 0)

    @pytest.mark.django_db(transaction=True)
    def test_of_eight_at_once_one_joins(self):
        lead, *users = (User.objects.create_user(f"user {i}") for i in range(9))
        project = services.create_project(owner=lead, name="Taxis")
        token = token_of(services.invite(project=project, role="viewer")[1])

        def attempt(i):
            with suppress(invitations.Gone):
                return bool(services.join(token, users[i]))
            return False

        assert sum(at_once(8, attempt)) == 1
        assert (Membership.objects.count(), AccessEntry.objects.count()) == (1, 1)


class TestEnd:
    def test_strangers_get_one_page_for_all_that_are_none(self, project, lead, stranger, link, monkeypatch):
        """Used, revoked, expired, of a deleted project, of a deactivated inviter, for an account, and random."""
        others = [services.create_project(owner=one, name="Gone") for one in (lead, User.objects.create_user("left"))]
        rows = [services.invite(project=one, role="viewer") for one in (project, project, project, *others)]
        paths = [link, *(path for _, path in rows)]
        services.join(token_of(paths[0]), stranger)
        rows[0][0].delete()
        past = timezone.now() - timedelta(days=30)
        Invitation.objects.filter(pk=rows[1][0].pk).update(created_at=past, expires_at=past + timedelta(days=1))
        good = paths.pop(3)
        services.delete_project(project=others[0])
        User.objects.filter(username="left").update(is_active=False)
        account = invitations.make_invitation(invited_by=lead)
        paths += [f"/projects/join/{token}/" for token in (token_of(account), "x", "é" * 50, "a%00b", "x" * 5000)]
        monkeypatch.setattr(attempts, "BY_ADDRESS", 1000)
        for who in (Client, lambda: logged_in(stranger)):
            answers = [getattr(who(), verb)(path) for path in paths for verb in ("get", "post")]
            assert {answer.status_code for answer in answers} == {410}
            pages = {re.sub(rb'"[^"]{64}"', b"", answer.content) for answer in answers}  # the CSRF token
            assert len(pages) == 1
            assert b"Whoever sent it can send another one; else contact the operator" in pages.pop()
        assert Client().post(f"/join/{token_of(good)}/", NEWCOMER).content == Client().get(paths[0]).content
        assert Client().get(good).status_code == Client().get(account).status_code == 200

    def test_tries_are_limited_and_a_good_link_is_not(self, link, monkeypatch):
        monkeypatch.setattr(attempts, "BY_ADDRESS", 2)
        assert [Client().get("/projects/join/x/").status_code for _ in range(3)] == [410, 410, 429]
        assert Client().get(link).status_code == 200

    def test_with_the_project_and_the_account_that_invited(self, project, link):
        services.invite(project=services.create_project(owner=project.owner, name="Other"), role="viewer")
        services.delete_project(project=project)
        assert Invitation.objects.count() == 1
        project.owner.delete()
        assert not Invitation.objects.exists()

    def test_the_migration_backwards_leaves_no_link_that_makes_an_account(self, link, lead):
        invitations.make_invitation(invited_by=lead)
        import_module("dashboard.accounts.migrations.0008_invitations_to_projects").delete_those_to_projects(apps, None)
        assert Invitation.objects.get().project is None


def test_pages_name_fields_as_they_show_them(lead, project, owner):
    page = logged_in(lead)
    for path, sent, text in (
        (project.page_url, {"user": "unknown", "role": "viewer"}, "User name must be the name of a user of this"),
        (project.page_url, {"user": "lead", "role": "viewer"}, "User name must be another user than the owner"),
        ("/projects/", {"name": " "}, "The name must not be empty."),
    ):
        answer = page.post(path, sent)
        assert (answer.status_code, text in answer.content.decode()) == (400, True), text
    page.post(f"{project.page_url}rename/", {"name": ""})
    membership = Membership.objects.get(user=owner)
    page.post(f"/members/{membership.pk}/role/", {"role": "owner"})
    shown = page.get(project.page_url).content.decode()
    assert "The name must not be empty." in shown
    assert "Role must be one of viewer, editor" in shown
    answer = client_of(lead).post(url(project, "members/"), {"user": "unknown", "role": "viewer"})
    assert refused(answer) == (400, "user")
